import type { DataChainClient } from "../../../../src/api";
import type { ProviderContext } from "../../../../src/provider/context";
import type { ResourceHandler } from "../../../../src/provider/handler";
import { type DynamicProvider, serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { jobFile } from "../../../../src/provider/job-file/handler";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { KeyedLock } from "../../../../src/provider/shared/keyed-lock";
import { Ownership } from "../../../../src/provider/shared/ownership";
import { TeamLists } from "../../../../src/provider/shared/team-lists";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { type Canaries, environmentOf, repositoryOf } from "./calls";
import { NAMES } from "./templates";

export interface HandlerCase {
	readonly client: DataChainClient;
	readonly team: string;
	readonly canaries: Canaries;
	/** Sees what would be printed: notices and reasons of a failed check. */
	readonly say: (text: string) => void;
}

type Operation = (at: HandlerCase) => Promise<unknown>;

/** A provider process of its own: nothing is remembered from another case. */
function provider(handler: ResourceHandler, { client, team, say }: HandlerCase): DynamicProvider {
	const context: ProviderContext = {
		client,
		teamName: team,
		serviceUrl: "http://127.0.0.1/api",
		lists: new TeamLists(client),
		ownership: new Ownership(),
		locks: new KeyedLock(),
		notice: say,
		graceMillis: [1, 5],
	};
	const served = serveDynamically(handler, () => context);
	served.configure({ config: { get: () => undefined } });
	return served;
}

const scheduleInputs = (team: string, changed: object = {}) => ({
	scheduleName: NAMES.schedule,
	pipelineName: NAMES.pipeline,
	cronExpression: NAMES.cron,
	paused: false,
	teamName: team,
	...changed,
});

const fresh = { scheduleName: "not there yet" };

const settingsInputs = (at: HandlerCase) => ({
	pipelineName: NAMES.pipeline,
	teamName: at.team,
	environment: environmentOf(at.canaries),
	repository: repositoryOf(at.canaries),
	adopt: true,
	onDestroy: "restore",
});

const check =
	(handler: ResourceHandler, inputs: (at: HandlerCase) => Record<string, unknown>): Operation =>
	async (at) => {
		const { failures } = await provider(handler, at).check({}, inputs(at));
		for (const { reason } of failures) at.say(reason);
	};

const schedule =
	(changed: object, work: (served: DynamicProvider, inputs: object) => Promise<unknown>): Operation =>
	(at) =>
		work(provider(pipelineSchedule, at), scheduleInputs(at.team, changed));

const checkSchedule = check(pipelineSchedule, (at) => scheduleInputs(at.team));
const checkFresh = check(pipelineSchedule, (at) => scheduleInputs(at.team, fresh));
const checkOther = check(pipelineSchedule, (at) => scheduleInputs(at.team, { cronExpression: "1 1 1 1 1" }));
const create = schedule(fresh, (served, inputs) => served.create({ ...inputs }));
const createPaused = schedule({ ...fresh, paused: true }, (served, inputs) => served.create({ ...inputs }));
const adopt = schedule({ adopt: true, cronExpression: "1 1 1 1 1" }, (served, inputs) =>
	served.create({ ...inputs }),
);
const read = schedule({}, (served, inputs) => served.read("7", { ...inputs }));
const update = schedule({ cronExpression: "5 5 * * *" }, (served, inputs) =>
	served.update("7", { ...inputs }, { ...inputs }),
);
const remove = schedule({}, (served, inputs) => served.delete("7", { ...inputs }));
const checkSettings = check(pipelineSettings, settingsInputs);
const createSettings: Operation = (at) => provider(pipelineSettings, at).create(settingsInputs(at));
const readSettings: Operation = (at) =>
	provider(pipelineSettings, at).read(`${at.team}/${NAMES.pipeline}`, settingsInputs(at));
const updateSettings: Operation = (at) =>
	provider(pipelineSettings, at).update(`${at.team}/${NAMES.pipeline}`, settingsInputs(at), {
		...settingsInputs(at),
		workers: 3,
	});
const deleteSettings: Operation = (at) =>
	provider(pipelineSettings, at).delete(`${at.team}/${NAMES.pipeline}`, settingsInputs(at));
const uploadFile: Operation = async (at) => {
	const served = provider(jobFile, at);
	const { inputs } = await served.check({}, { text: "abc", name: "a.txt", teamName: at.team });
	await served.create(inputs);
};

/** Operations of the resources that need the endpoint's reply; the other replies they get are valid. */
export const OPERATIONS: Readonly<Partial<Record<EndpointName, readonly [Operation, ...Operation[]]>>> = {
	listSchedules: [checkSchedule, create, adopt, read],
	getSchedule: [checkSchedule, checkOther, create, adopt, update, remove],
	createSchedule: [create, createPaused],
	updateSchedule: [update, adopt],
	deleteSchedule: [remove],
	listPipelines: [checkFresh, create, read, checkSettings, readSettings],
	pausePipeline: [createPaused],
	pipelineStatus: [createSettings, updateSettings, deleteSettings],
	updateSettings: [createSettings, updateSettings],
	uploadFile: [uploadFile],
};
