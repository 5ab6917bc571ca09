import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { deepEqual } from "../../../../src/provider/shared/table";
import { UNKNOWN } from "../../../../src/provider/shared/unknown";
import { checked, deployed, type Known, messageOf, type Props } from "../../process";
import { Random } from "../../random";
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
	const run = <T>(work: (provider: DynamicProvider) => Promise<T>) => place.run(kind, work);
	try {
		const pipeline = place.pipeline();
		const a = place.fill(kind, first, pipeline);
		// What others had set stays theirs where it is not adopted, and is rightly refused.
		const adopt = kind === "PipelineSettings" ? { adopt: a.adopt === true } : {};
		const b = { ...place.fill(kind, second, pipeline), ...adopt };
		if (kind === "PipelineSettings" && a.adopt === true) place.setByOthers(pipeline);
		const made = await run(async (provider) => {
			await checkTwice(provider, a, tell);
			return deployed(provider, a);
		});
		const read = await run((provider) => settle(provider, made, a, "applied", tell));
		await run((provider) => unknowns(provider, read, a, new Random(String(draw)), tell));
		const after = await run((provider) => deployed(provider, b, read));
		const last = await run((provider) => settle(provider, after, b, "updated", tell));
		await run((provider) => provider.delete(last.id, last.outs));
		// In a run of its own, as after a destroy.
		const gone = await run((provider) => provider.read(last.id, last.outs));
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
	known: Known,
	program: Props,
	property: Property,
	tell: Tell,
): Promise<Known> {
	const { id, props, inputs } = await provider.read(known.id, known.outs);
	if (id !== known.id || props === undefined || inputs === undefined)
		throw new Error("read says that it is gone");
	const refresh = await provider.diff(id, props, known.inputs);
	const next = await provider.diff(id, props, await checked(provider, inputs, program));
	if (refresh.changes || next.changes) tell(property, `diff after read: ${differing(known.inputs, props)}`);
	if (!deepEqual(inputs, known.inputs)) tell("respelled", `read changes ${differing(known.inputs, inputs)}`);
	return { id, outs: props, inputs };
}

/** A preview must promise a replacement where such a value is not known yet, and only there. */
const REPLACING = ["pipelineName", "teamName", "text", "source", "name"];

/** Values that are not known before the deployment: one at least, any of the others. */
async function unknowns(
	provider: DynamicProvider,
	read: Known,
	program: Props,
	random: Random,
	tell: Tell,
): Promise<void> {
	const sure = random.pick(Object.keys(program));
	const where = Object.keys(program).filter((key) => key === sure || random.chance(0.2));
	const unknown = Object.fromEntries(where.map((key) => [key, UNKNOWN]));
	const { inputs, failures } = await provider.check(read.inputs, { ...program, ...unknown });
	for (const { reason } of failures) tell("refused", `check with unknown ${where.join(", ")}: ${reason}`);
	const { replaces } = await provider.diff(read.id, read.outs, inputs);
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
