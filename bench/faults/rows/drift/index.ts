import { checkDrift } from "../../../../src/drift/check";
import { readState } from "../../../../src/drift/state";
import type { Props } from "../../../../src/provider/handler";
import { handlerOf } from "../../../../src/provider/handlers";
import { deepEqual } from "../../../../src/provider/shared/table";
import { dynamicType } from "../../../../src/schemas/kinds";
import { manualClock, startServer } from "../../../../src/server";
import { inProcess } from "../../process";
import { all, type Figure, none, type Row, type RowContext } from "../../row";
import { StackModel } from "../model/engine-model";
import type { Entry } from "../model/stack";
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
const NOT_ON_THE_SERVICE = ["pipelineName", "teamName", "timeZone", "adopt", "onDestroy"];
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

type Env = NodeJS.ProcessEnv;
/** Names of what was found, by the resource's name in the program. */
type Found = ReadonlyMap<string, readonly string[]>;

/** The provider's own handlers and the drift command's code, against the local server. */
async function overSockets(context: RowContext, cases: readonly DriftCase[]): Promise<Figure[]> {
	// Spellings are stored as they are sent; the clock is moved by hand.
	const server = await startServer({ normalise: false, clock: manualClock(new Date().toISOString()) });
	// Each case gets a pipeline and a resource of its own, made by the provider.
	const program = cases.map(({ kind, declared }, index) => {
		return { kind, name: `case-${index}`, args: { ...declared, pipelineName: `pipeline-${index}` } };
	});
	const team = server.addTeam(TEAM, { pipelines: program.map(({ args }) => args.pipelineName) });
	const stack = new StackModel();
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: TEAM };
	try {
		await inProcess(env, (providers) => stack.up(program, providers));
		const made = stack.entries;
		const before = [...(await byCommand(env, made)), ...(await byRefresh(env, made))];
		// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
		server.clock.advance(DAY);
		for (const [index, { change }] of cases.entries()) {
			const { scheduleId = 0 } = made.find(({ name }) => name === `case-${index}`)?.outputs ?? {};
			change({ team, pipeline: `pipeline-${index}`, id: Number(scheduleId) });
		}
		const command = await byCommand(env, made);
		const refresh = await byRefresh(env, made);
		context.progress(`${made.length} resources changed and looked at in both ways`);
		const count = cases.filter((each) => each.named.length > 0).length;
		const drifted = made.filter(({ name }) => command.has(name));
		const figure = (who: string, found: Found) => {
			const failed = wrong(who, cases, found, false);
			return all(`found and named by ${who}`, count - failed.length, count, failed);
		};
		return [
			figure("the drift command", command),
			figure("a refresh", refresh),
			none("false alarms", [
				...before.map(([name, what]) => `${name} right after its deployment: ${what.join(", ")}`),
				...wrong("drift command", cases, command, true),
				...wrong("refresh", cases, refresh, true),
			]),
			await repaired(env, drifted),
		];
	} finally {
		await server.close();
	}
}

/** What `pulumi-datachain drift` reports. */
async function byCommand(env: Env, made: readonly Entry[]): Promise<Found> {
	const resources = made.map((entry) => ({ ...entry, type: dynamicType(entry.kind) }));
	const state = readState(JSON.stringify({ deployment: { resources } }));
	const report = await checkDrift({ state, sources: { env }, ignore: [] });
	const of = (resource: string, ...what: string[]): [string, string[]] => [resource, what];
	return new Map([
		...report.changed.map(({ resource, fields }) => of(resource, ...fields.map(({ field }) => field))),
		...report.missing.map(({ resource }) => of(resource, "(missing)")),
		...report.failed.map(({ name, reason }) => of(`${name}`, `(failed) ${reason}`)),
	]);
}

/** What a refresh shows: the provider's read and diff, and the inputs that differ after them. */
const byRefresh = (env: Env, made: readonly Entry[]): Promise<Found> =>
	inProcess(env, async (providers) => {
		const found = new Map<string, string[]>();
		for (const { kind, name, id, inputs, outputs } of made) {
			const provider = providers(kind);
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

/** What was named otherwise than it must be: exactly the names that differ, one too many is wrong as well. */
const wrong = (who: string, cases: readonly DriftCase[], found: Found, same: boolean): string[] =>
	[...cases.entries()].flatMap(([index, each]) => {
		const names = [...(found.get(`case-${index}`) ?? [])].sort().join(", ");
		const right = [...each.named].sort().join(", ");
		const isOther = (right === "") === same && names !== right;
		return isOther
			? [`${who}: ${each.covers}, ${each.what}: ${names || "nothing"} instead of ${right || "nothing"}`]
			: [];
	});

/** As `pulumi up --refresh` does it: update from what was read to what is declared, then look again. */
async function repaired(env: Env, drifted: readonly Entry[]): Promise<Figure> {
	// No request takes a cron away: that one is replaced.
	const repairable = drifted.filter(
		({ kind, inputs }) => kind !== "PipelineSchedule" || inputs.cronExpression !== undefined,
	);
	await inProcess(env, async (providers) => {
		for (const { kind, id, inputs, outputs } of repairable) {
			const { props = {} } = await providers(kind).read(id, outputs);
			await providers(kind).update(id, props, inputs);
		}
	});
	const left = [...(await byRefresh(env, repairable))].map(([name, what]) => `${name}: ${what.join(", ")}`);
	return all("repaired by an update", repairable.length - left.length, repairable.length, left);
}
