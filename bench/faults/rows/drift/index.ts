import { checkDrift } from "../../../../src/drift/check";
import { readState, type StackState } from "../../../../src/drift/state";
import { handlerOf } from "../../../../src/provider/handlers";
import { deepEqual } from "../../../../src/provider/shared/table";
import { dynamicType, type Kind } from "../../../../src/schemas/kinds";
import { manualClock, startServer } from "../../../../src/server";
import { checked, inProcess, messageOf, type Props, urnOf } from "../../process";
import { all, type Figure, none, type Row, type RowContext } from "../../row";
import { type DriftCase, changes as plainChanges, spellings as plainSpellings } from "./cases";
import { storageCases, storageFields } from "./storage";

const DAY = 24 * 60 * 60_000;
const TEAM = "cases";

export const drift: Row = {
	number: 4,
	name: "drift",
	async run(context) {
		const storage = storageCases(context.random.integer(0, 2 ** 31 - 1));
		const changes = [...plainChanges, ...storage.changes];
		const spellings = [...plainSpellings, ...storage.spellings];
		const fields = new Set(changes.map(({ kind, covers }) => `${kind}.${covers}`));
		return {
			load:
				`${changes.length} changes to ${fields.size} fields and parameters, one at a time; ` +
				`${spellings.length} changes that mean the same`,
			figures: [
				none("fields without a case", uncovered(changes)),
				...(await overSockets(context, [...changes, ...spellings])),
			],
		};
	},
};

/** Fields that nobody can change behind Pulumi's back: instructions to the provider, and what no request moves. */
const NOT_ON_THE_SERVICE = ["pipelineName", "teamName", "adopt", "onDestroy"];
/** Fields that the service never shows. */
const NEVER_SHOWN = ["files", "credentialsNames"];

/** Every field of every schema that has no case, and no reason to have none: a new field must show up here. */
function uncovered(cases: readonly DriftCase[]): string[] {
	const covered = new Set(cases.flatMap(({ kind, covers }) => [`${kind}.${covers}`, covers]));
	const fields = (["PipelineSchedule", "PipelineSettings"] as const).flatMap((kind) =>
		Object.keys(handlerOf(kind).fields)
			.filter((field) => ![...NOT_ON_THE_SERVICE, ...NEVER_SHOWN, "storage"].includes(field))
			.map((field) => `${kind}.${field}`),
	);
	return [...fields, ...storageFields()].filter((field) => !covered.has(field));
}

/** A resource that the provider made, as the state has it. */
interface Deployed {
	readonly kind: Kind;
	readonly name: string;
	readonly id: string;
	readonly inputs: Props;
	readonly outputs: Props;
}

type Env = NodeJS.ProcessEnv;
/** Names of what was found, by the resource's name in the program. */
type Found = ReadonlyMap<string, readonly string[]>;

/** The provider's own handlers and the drift command's code, against the local server. */
async function overSockets(context: RowContext, cases: readonly DriftCase[]): Promise<Figure[]> {
	// Spellings are stored as they are sent; the clock is moved by hand.
	const server = await startServer({ normalise: false, clock: manualClock(new Date().toISOString()) });
	const pipelines = cases.map((_, index) => `pipeline-${index}`);
	const team = server.addTeam(TEAM, { pipelines });
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM };
	try {
		const deployed = await deploy(env, cases, pipelines);
		const before = [...(await byCommand(env, deployed)), ...(await byRefresh(env, deployed))];
		// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
		server.clock.advance(DAY);
		for (const [index, each] of cases.entries()) {
			const id = Number(deployed[index]?.outputs.scheduleId ?? 0);
			each.change({ team, pipeline: `pipeline-${index}`, id });
		}
		const command = await byCommand(env, deployed);
		const refresh = await byRefresh(env, deployed);
		context.progress(`${deployed.length} resources changed and looked at in both ways`);
		return [
			named("found and named by the drift command", cases, command),
			named("found and named by a refresh", cases, refresh),
			none("false alarms", [
				...before.map(([name, what]) => `${name} right after its deployment: ${what.join(", ")}`),
				...alarms("drift command", cases, command),
				...alarms("refresh", cases, refresh),
			]),
			await repaired(
				env,
				deployed.filter(({ name }) => command.has(name)),
			),
		];
	} finally {
		await server.close();
	}
}

/** Each case gets a pipeline and a resource of its own, made by the provider. */
const deploy = (env: Env, cases: readonly DriftCase[], pipelines: readonly string[]): Promise<Deployed[]> =>
	inProcess(env, (process) =>
		Promise.all(
			cases.map(async ({ kind, declared }, index) => {
				const name = `case-${index}`;
				const provider = process.serve(kind, name);
				const inputs = await checked(provider, {}, { ...declared, pipelineName: pipelines[index] });
				const { id, outs } = await provider.create(inputs);
				return { kind, name, id, inputs, outputs: outs };
			}),
		),
	);

const stateOf = (deployed: readonly Deployed[]): StackState => {
	const resources = deployed.map(({ kind, name, ...rest }) => ({
		urn: urnOf(kind, name),
		type: dynamicType(kind),
		...rest,
	}));
	return readState(JSON.stringify({ deployment: { resources } }));
};

/** What `pulumi-datachain drift` reports. */
async function byCommand(env: Env, deployed: readonly Deployed[]): Promise<Found> {
	const report = await checkDrift({ state: stateOf(deployed), sources: { env }, ignore: [] });
	const of = (resource: string, ...what: string[]): [string, string[]] => [resource, what];
	return new Map([
		...report.changed.map(({ resource, fields }) => of(resource, ...fields.map(({ field }) => field))),
		...report.missing.map(({ resource }) => of(resource, "(missing)")),
		...report.failed.map(({ name, reason }) => of(`${name}`, `(failed) ${reason}`)),
	]);
}

/** What a refresh shows: the provider's read and diff, and the inputs that differ after them. */
const byRefresh = (env: Env, deployed: readonly Deployed[]): Promise<Found> =>
	inProcess(env, async (process) => {
		const found = new Map<string, string[]>();
		for (const { kind, name, id, inputs, outputs } of deployed) {
			const provider = process.serve(kind, name);
			const live = await provider.read(id, outputs);
			const { changes } = await provider.diff(id, live.props ?? {}, inputs);
			const names = differingNames(inputs, live.inputs ?? {});
			if (live.id === undefined) found.set(name, ["(missing)"]);
			else if (changes || names.length > 0) found.set(name, changes ? names : ["(changed without a diff)"]);
		}
		return found;
	});

/** How far down a field is named by its parts: variables by name, storage by kind and parameter. */
const DEPTHS: Readonly<Record<string, number>> = { environment: 1, storage: 2 };

function differingNames(declared: Props, live: Props, depth?: number): string[] {
	const names = [...new Set([...Object.keys(declared), ...Object.keys(live)])].sort();
	const own = (props: Props, name: string) => (Object.hasOwn(props, name) ? props[name] : undefined);
	return names.flatMap((name) => {
		const [ours, theirs] = [own(declared, name), own(live, name)];
		if (deepEqual(ours, theirs)) return [];
		const below = depth ?? DEPTHS[name] ?? 0;
		if (below === 0) return [name];
		const parts = differingNames({ ...(ours as Props) }, { ...(theirs as Props) }, below - 1);
		return parts.map((part) => `${name}.${part}`);
	});
}

/** Found, with exactly the names that differ: one that is missing and one too many are both wrong. */
function named(what: string, cases: readonly DriftCase[], found: Found): Figure {
	const drifted = [...cases.entries()].filter(([, each]) => each.named.length > 0);
	const wrong = drifted.flatMap(([index, { covers, what: how, named: wanted }]) => {
		const names = [...(found.get(`case-${index}`) ?? [])].sort().join(", ");
		const right = [...wanted].sort().join(", ");
		return names === right ? [] : [`${covers}, ${how}: named ${names || "nothing"} instead of ${right}`];
	});
	return all(what, drifted.length - wrong.length, drifted.length, wrong);
}

const alarms = (who: string, cases: readonly DriftCase[], found: Found): string[] =>
	cases.flatMap((each, index) => {
		const names = each.named.length > 0 ? undefined : found.get(`case-${index}`);
		return names === undefined ? [] : [`${who}: ${each.covers}, ${each.what}: ${names.join(", ")}`];
	});

/** As `pulumi up --refresh` does it: update from what was read to what is declared, then look again. */
async function repaired(env: Env, drifted: readonly Deployed[]): Promise<Figure> {
	const failed: string[] = [];
	// No request takes a cron away: that one is replaced.
	const repairable = drifted.filter(
		({ kind, inputs }) => kind !== "PipelineSchedule" || inputs.cronExpression !== undefined,
	);
	await inProcess(env, async (process) => {
		for (const { kind, name, id, inputs, outputs } of repairable) {
			const provider = process.serve(kind, name);
			const { props = {} } = await provider.read(id, outputs);
			await provider
				.update(id, props, inputs)
				.catch((error: unknown) => failed.push(`${name}: ${messageOf(error)}`));
		}
	});
	const left = await byRefresh(env, repairable);
	failed.push(...[...left].map(([name, what]) => `${name}: ${what.join(", ")}`));
	return all("repaired by an update", repairable.length - left.size, repairable.length, failed);
}
