import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { deepEqual } from "../../../../src/provider/shared/table";
import { UNKNOWN } from "../../../../src/provider/shared/unknown";
import { checked, messageOf, type Props } from "../../process";
import { Random } from "../../random";
import type { Case } from "./inputs";
import type { Place } from "./place";

/** The properties that a case can break. */
export const PROPERTIES = [
	"refused",
	"applied",
	"updated",
	"respelled",
	"replaced",
	"notIdempotent",
] as const;
export type Property = (typeof PROPERTIES)[number];
export type Broken = Readonly<Partial<Record<Property, string>>>;
type Tell = (property: Property, why: string) => void;

interface Live {
	readonly id: string;
	readonly outs: Props;
	/** As the program's next run hands them to diff. */
	readonly inputs: Props;
}

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
			const inputs = await checked(provider, {}, a);
			return { ...(await provider.create(inputs)), inputs };
		});
		const read = await run((provider) => settle(provider, made, a, "applied", tell));
		await run((provider) => unknowns(provider, read, [a, mixed(a, b)], new Random(String(draw)), tell));
		const after = await run((provider) => change(provider, read, b));
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
		if (!deepEqual(again, once)) tell("notIdempotent", `the second check changes ${differing(once, again)}`);
	}
}

/** Reads it as a refresh does; neither the refresh nor the program's next run may find anything to do. */
async function settle(
	provider: DynamicProvider,
	known: Live,
	program: Props,
	property: Property,
	tell: Tell,
): Promise<Live> {
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

/** Values that are not known before the deployment, in the inputs it has and in those it will get. */
async function unknowns(
	provider: DynamicProvider,
	read: Live,
	programs: readonly Props[],
	random: Random,
	tell: Tell,
): Promise<void> {
	for (const program of programs) {
		const where: string[] = [];
		const inputs = withUnknowns(program, random, where);
		const { inputs: known, failures } = await provider.check(read.inputs, inputs);
		for (const { reason } of failures) tell("refused", `check with unknown ${where.join(", ")}: ${reason}`);
		const { replaces } = await provider.diff(read.id, read.outs, known);
		const expected = where.some((path) => REPLACING.includes(path));
		if (failures.length === 0 && replaces.length > 0 !== expected)
			tell("replaced", `unknown ${where.join(", ")}: replaces ${replaces.join(", ") || "nothing"}`);
	}
}

/** The inputs with values that are not known yet: one at least, at the top or inside. */
function withUnknowns(inputs: Props, random: Random, where: string[]): Props {
	const sure = random.pick(Object.keys(inputs));
	const replace = (value: unknown, path: string, chance: number): unknown => {
		if (path === sure || random.chance(chance)) {
			where.push(path);
			return UNKNOWN;
		}
		// Marks of assets stay: the engine knows that something is an asset before it knows what is in it.
		if (typeof value !== "object" || value === null || path === "source") return value;
		if (Array.isArray(value)) return value.map((item, index) => replace(item, `${path}.${index}`, 0.15));
		return mapped(value, (item, key) => replace(item, `${path}.${key}`, 0.15));
	};
	return mapped(inputs, (value, key) => replace(value, key, 0.2));
}

const mapped = (object: object, change: (value: unknown, key: string) => unknown): Props =>
	Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));

/** The first inputs with some of the second; what replaces would hide the rest, and a variable must not come twice. */
function mixed(a: Props, b: Props): Props {
	const shared = "environment" in a && "storage" in a ? ["environment", "storage"] : [];
	const left = [...REPLACING, ...shared];
	return {
		...a,
		...Object.fromEntries(Object.entries(b).filter(([key]) => key in a && !left.includes(key))),
	};
}

/** To the other inputs: in place, or by another object where diff says so. */
async function change(provider: DynamicProvider, read: Live, program: Props): Promise<Live> {
	const inputs = await checked(provider, read.inputs, program);
	const { changes, replaces, deleteBeforeReplace } = await provider.diff(read.id, read.outs, inputs);
	if (!changes) return { ...read, inputs };
	if (replaces.length === 0) {
		return { id: read.id, inputs, ...(await provider.update(read.id, read.outs, inputs)) };
	}
	const anew = await checked(provider, {}, program);
	if (deleteBeforeReplace) await provider.delete(read.id, read.outs);
	const made = await provider.create(anew);
	if (!deleteBeforeReplace) await provider.delete(read.id, read.outs);
	return { ...made, inputs: anew };
}

/** Names of the fields that differ, for a person who looks for the reason. */
function differing(a: Props, b: Props): string {
	const short = (value: unknown) => JSON.stringify(value)?.slice(0, 120);
	return [...new Set([...Object.keys(a), ...Object.keys(b)])]
		.filter((name) => name in a && !deepEqual(a[name], b[name]))
		.map((name) => `${name} ${short(a[name])} => ${short(b[name])}`)
		.join("; ");
}
