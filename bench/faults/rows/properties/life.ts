import type { DynamicProvider } from "../../../../src/provider/host/dynamic-host";
import { deepEqual } from "../../../../src/provider/shared/field-table";
import { Random } from "../../random";
import type { Case, Inputs, Kind } from "./inputs";
import type { Place } from "./place";
import { withUnknowns } from "./unknowns";

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

export interface Broken {
	readonly property: Property;
	readonly why: string;
}

interface Live {
	readonly id: string;
	readonly outs: Inputs;
	/** As the program's next run hands them to diff. */
	readonly inputs: Inputs;
}

/** Thrown where a case cannot go on. */
class BrokenError extends Error {
	constructor(readonly broken: Broken) {
		super(broken.why);
	}
}

/** Makes, reads, changes, reads and deletes one resource as the engine would, and tells what went wrong. */
export async function live(place: Place, { kind, first, second, draw }: Case): Promise<Broken[]> {
	const found: Broken[] = [];
	const tell = (property: Property) => (why: string) => void found.push({ property, why });
	try {
		const pipeline = await place.pipeline();
		const a = place.fill(kind, first, pipeline);
		// What others had set stays theirs where it is not adopted, and is rightly refused.
		const adopt = kind === "PipelineSettings" ? { adopt: a.adopt === true } : {};
		const b = { ...place.fill(kind, second, pipeline), ...adopt };
		if (kind === "PipelineSettings" && a.adopt === true) await setByOthers(place, pipeline);
		const made = await place.session(kind, async (provider) => {
			await checkTwice(provider, a, tell("notIdempotent"));
			return create(provider, a);
		});
		const read = await place.session(kind, (provider) =>
			settle(provider, made, a, tell("applied"), tell("respelled")),
		);
		await place.session(kind, (provider) =>
			unknowns(provider, read, { a, b, random: new Random(String(draw)) }, tell),
		);
		const after = await place.session(kind, (provider) => change(provider, read, b));
		const last = await place.session(kind, (provider) =>
			settle(provider, after, b, tell("updated"), tell("respelled")),
		);
		await place.session(kind, (provider) => remove(provider, kind, last));
	} catch (error) {
		const why = error instanceof Error ? error.message : String(error);
		found.push(error instanceof BrokenError ? error.broken : { property: "refused", why });
	}
	return found;
}

/** What `adopt` is for: the settings have values already. */
async function setByOthers(place: Place, pipeline_name: string): Promise<void> {
	await place.client.pipelines.settings({
		pipeline_name,
		python_version: "3.10",
		requirements: "theirs",
		environment: 'THEIRS=1\nFSSPEC_S3={"anon":true}',
		workers: 7,
	});
}

async function checked(provider: DynamicProvider, olds: Inputs, news: Inputs): Promise<Inputs> {
	const { inputs, failures } = await provider.check(olds, news);
	if (failures.length === 0) return inputs;
	throw new BrokenError({
		property: "refused",
		why: `check: ${failures.map(({ reason }) => reason).join(" ")}`,
	});
}

async function checkTwice(
	provider: DynamicProvider,
	inputs: Inputs,
	tell: (why: string) => void,
): Promise<void> {
	const once = await checked(provider, {}, inputs);
	for (const olds of [{}, once]) {
		const again = await provider.check(olds, once);
		if (again.failures.length > 0)
			tell(`the second check refuses: ${again.failures.map(({ reason }) => reason).join(" ")}`);
		else if (!deepEqual(again.inputs, once))
			tell(`the second check changes ${differing(once, again.inputs)}`);
	}
}

async function create(provider: DynamicProvider, news: Inputs): Promise<Live> {
	const inputs = await checked(provider, {}, news);
	const { id, outs } = await provider.create(inputs);
	return { id, outs, inputs };
}

/** Reads it as a refresh does; neither the refresh nor the program's next run may find anything to do. */
async function settle(
	provider: DynamicProvider,
	known: Live,
	program: Inputs,
	tell: (why: string) => void,
	tellSpelling: (why: string) => void,
): Promise<Live> {
	const { id, props, inputs } = await provider.read(known.id, known.outs);
	if (id !== known.id || props === undefined || inputs === undefined) {
		throw new BrokenError({ property: "applied", why: "read says that it is gone" });
	}
	const refresh = await provider.diff(id, props, known.inputs);
	const next = await provider.diff(id, props, await checked(provider, inputs, program));
	if (refresh.changes || next.changes) tell(`diff after read: ${differing(known.inputs, props)}`);
	if (!deepEqual(inputs, known.inputs)) tellSpelling(`read changes ${differing(known.inputs, inputs)}`);
	return { id, outs: props, inputs };
}

/** Values that are not known before the deployment, in the inputs it has and in those it will get. */
async function unknowns(
	provider: DynamicProvider,
	read: Live,
	{ a, b, random }: { a: Inputs; b: Inputs; random: Random },
	tell: (property: Property) => (why: string) => void,
): Promise<void> {
	for (const program of [a, { ...a, ...onlyUpdatable(b, a) }]) {
		const { inputs, where } = withUnknowns(program, random);
		const result = await provider.check(read.inputs, inputs);
		for (const { reason } of result.failures) tell("refused")(`check with unknown ${where}: ${reason}`);
		const diff = await provider.diff(read.id, read.outs, result.inputs);
		if (diff.replaces.length > 0 || diff.deleteBeforeReplace)
			tell("replaced")(`unknown ${where}: replaces ${diff.replaces.join(", ")}`);
	}
}

/** A known reason to replace would hide the others; environment and storage must not declare the same variable. */
const NOT_MIXED = ["name", "source", "text"];
const SHARED = ["environment", "storage"];

/** Of the other inputs those that never replace, whatever their value. */
function onlyUpdatable(b: Inputs, a: Inputs): Inputs {
	const left = SHARED.every((key) => key in a) ? [...NOT_MIXED, ...SHARED] : NOT_MIXED;
	return Object.fromEntries(Object.entries(b).filter(([key]) => key in a && !left.includes(key)));
}

/** To the other inputs: in place, or by another object where diff says so. */
async function change(provider: DynamicProvider, read: Live, program: Inputs): Promise<Live> {
	const inputs = await checked(provider, read.inputs, program);
	const diff = await provider.diff(read.id, read.outs, inputs);
	if (!diff.changes) return { ...read, inputs };
	if (diff.replaces.length === 0) {
		const { outs } = await provider.update(read.id, read.outs, inputs);
		return { id: read.id, outs, inputs };
	}
	if (diff.deleteBeforeReplace) await provider.delete(read.id, read.outs);
	const { id, outs } = await provider.create(inputs);
	if (!diff.deleteBeforeReplace) await provider.delete(read.id, read.outs);
	return { id, outs, inputs };
}

/** As a destroy does: in a run of its own, because what the program still declares is never deleted. */
async function remove(provider: DynamicProvider, kind: Kind, last: Live): Promise<void> {
	await provider.delete(last.id, last.outs);
	if (kind === "PipelineSchedule" && (await provider.read(last.id, last.outs)).id !== undefined)
		throw new Error("It is still there after delete.");
}

/** Names of the fields that differ, for a person who looks for the reason. */
function differing(a: Inputs, b: Inputs): string {
	const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
	return names
		.filter((name) => name in a && !deepEqual(a[name], b[name]))
		.map(
			(name) =>
				`${name} ${JSON.stringify(a[name])?.slice(0, 120)} => ${JSON.stringify(b[name])?.slice(0, 120)}`,
		)
		.join("; ");
}
