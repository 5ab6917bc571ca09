import type { Props } from "../../../../src/provider/handler";
import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { deepEqual } from "../../../../src/provider/shared/table";
import { UNKNOWN } from "../../../../src/provider/shared/unknown";
import { checked, messageOf, urnOf } from "../../process";
import { Random } from "../../random";
import { StackModel } from "../model/engine-model";
import type { Entry } from "../model/stack";
import type { Case } from "./inputs";
import type { Place } from "./place";

/** The properties that a case can break. */
export const PROPERTIES = ["refused", "applied", "updated", "respelled", "replaced", "unstable"] as const;
export type Property = (typeof PROPERTIES)[number];
export type Broken = Readonly<Partial<Record<Property, string>>>;
type Tell = (property: Property, why: string) => void;

/** Makes, reads, changes, reads and deletes one resource as the engine would, and tells what went wrong. */
export async function live(place: Place, { kind, first, second, draw }: Case): Promise<Broken> {
	const broken: Partial<Record<Property, string>> = {};
	const tell: Tell = (property, why) => {
		broken[property] ??= why;
	};
	const stack = new StackModel();
	const up = (args: Props) => place.run((providers) => stack.up([{ kind, name: "one", args }], providers));
	const __urn = urnOf(kind, "one");
	const run = <T>(work: (provider: DynamicProvider, entry: Entry) => Promise<T>) =>
		place.run((providers) => {
			const provider = providers(kind);
			const check: DynamicProvider["check"] = (olds, news) => provider.check(olds, { ...news, __urn });
			return work({ ...provider, check }, stack.entries[0] as Entry);
		});
	try {
		const pipeline = place.pipeline();
		const a = place.fill(kind, first, pipeline);
		// What others had set stays theirs where it is not adopted, and is rightly refused.
		const adopt = kind === "PipelineSettings" ? { adopt: a.adopt === true } : {};
		const b = { ...place.fill(kind, second, pipeline), ...adopt };
		if (kind === "PipelineSettings" && a.adopt === true) place.setByOthers(pipeline);
		await run((provider) => checkTwice(provider, a, tell));
		await up(a);
		await run((provider, entry) => settle(provider, entry, a, "applied", tell));
		await run((provider, entry) => unknowns(provider, entry, a, new Random(String(draw)), tell));
		await up(b);
		await run((provider, entry) => settle(provider, entry, b, "updated", tell));
		await run((provider, { id, outputs }) => provider.delete(id, outputs));
		// In a run of its own, as after a destroy.
		const gone = await run((provider, { id, outputs }) => provider.read(id, outputs));
		if (kind === "PipelineSchedule" && gone.id !== undefined) tell("updated", "it is there after delete");
	} catch (error) {
		tell("refused", messageOf(error));
	}
	return broken;
}

async function checkTwice(provider: DynamicProvider, inputs: Props, tell: Tell): Promise<void> {
	const once = await checked(provider, {}, inputs);
	for (const olds of [{}, once]) {
		const again = await checked(provider, olds, once);
		if (!deepEqual(again, once)) tell("unstable", `the second check changes ${differing(once, again)}`);
	}
}

/** Reads it as a refresh does; neither the refresh nor the program's next run may find anything to do. */
async function settle(
	provider: DynamicProvider,
	entry: Entry,
	program: Props,
	property: Property,
	tell: Tell,
): Promise<void> {
	const { id, props, inputs } = await provider.read(entry.id, entry.outputs);
	if (id !== entry.id || props === undefined || inputs === undefined)
		throw new Error("read says that it is gone");
	const refresh = await provider.diff(id, props, entry.inputs);
	const next = await provider.diff(id, props, await checked(provider, inputs, program));
	if (refresh.changes || next.changes) tell(property, `diff after read: ${differing(entry.inputs, props)}`);
	if (!deepEqual(inputs, entry.inputs)) tell("respelled", `read changes ${differing(entry.inputs, inputs)}`);
	Object.assign(entry, { inputs, outputs: props });
}

/** A preview must promise a replacement where such a value is not known yet, and only there. */
const REPLACING = ["pipelineName", "teamName", "text", "source", "name"];

/** Values that are not known before the deployment: one at least, any of the others. */
async function unknowns(
	provider: DynamicProvider,
	entry: Entry,
	program: Props,
	random: Random,
	tell: Tell,
): Promise<void> {
	const sure = random.pick(Object.keys(program));
	const where = Object.keys(program).filter((key) => key === sure || random.chance(0.2));
	const unknown = Object.fromEntries(where.map((key) => [key, UNKNOWN]));
	const { inputs, failures } = await provider.check(entry.inputs, { ...program, ...unknown });
	for (const { reason } of failures) tell("refused", `check with unknown ${where.join(", ")}: ${reason}`);
	const { replaces } = await provider.diff(entry.id, entry.outputs, inputs);
	const expected = where.some((path) => REPLACING.includes(path));
	if (failures.length === 0 && replaces.length > 0 !== expected)
		tell("replaced", `unknown ${where.join(", ")}: replaces ${replaces.join(", ") || "nothing"}`);
}

/** Names of the fields that differ, for a person who looks for the reason. */
function differing(a: Props, b: Props): string {
	const short = (value: unknown) => JSON.stringify(value)?.slice(0, 120);
	return [...new Set([...Object.keys(a), ...Object.keys(b)])]
		.filter((name) => name in a && !deepEqual(a[name], b[name]))
		.map((name) => `${name} ${short(a[name])} => ${short(b[name])}`)
		.join("; ");
}
