import { expect } from "vitest";
import { type Props, SIGNATURE } from "../../src/provider/model/props";
import type { Kind } from "../../src/schemas/kinds";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type { FaultRule } from "../../src/server";
import type { Entry } from "../model/stack";
import type { CaseName } from "./provider-cases";
import { CANARY, type World } from "./provider-harness";

/** An object as the service has it, whatever a fault lets others see. */
export type Seen = { readonly id: string } & Readonly<Record<string, unknown>>;

/** What a deployment does after one input changed, and what the service has then. */
export interface Edit {
	readonly to: Props;
	readonly does: "update" | "replace" | "same";
	readonly seen?: Props;
	/** Declared before, beside the kind's inputs. */
	readonly from?: Props;
}

/** How an object is found that no response names. */
interface Search {
	readonly list: EndpointName;
	/** The response names nothing, or something else. */
	readonly misnamed: readonly ((world: World) => unknown)[];
	/** What is told where the list does not show the object either, with the reason. */
	readonly tells: (why: string) => string;
	readonly reasons: readonly (readonly [FaultRule, why: string])[];
}

/** What the required cases must know of a kind. A new kind needs one of these, and no test of its own for them. */
export interface KindUnderTest {
	readonly kind: Kind;
	readonly inputs: Props;
	/** The request that makes the object. One that may be repeated is sent again where its outcome is unclear. */
	readonly create: {
		readonly endpoint: EndpointName;
		readonly repeatable?: true;
		/** What it says if nobody can tell whether it was done. */
		readonly unclear: RegExp;
		readonly search?: Search;
	};
	/** Objects that are deployed now; undefined where no request shows them. */
	readonly seen?: (world: World) => readonly Seen[];
	/** One edit for every field. */
	readonly edits: Readonly<Record<string, Edit>>;
	/** Fields that check fills in. */
	readonly computed: readonly string[];
	/** Somebody changes the object, and what a refresh shows then. */
	readonly drift?: {
		readonly make: (world: World, entry: Entry) => void;
		readonly shows: Props;
	};
	/** The object goes without a request of ours, and what a refresh makes of that. */
	readonly loss?: {
		readonly make: (world: World, entry: Entry) => void;
		readonly refresh: "gone" | "read";
		/** What a delete sends all the same. */
		readonly sends?: readonly EndpointName[];
	};
	/** The request that ends the object. */
	readonly end?: EndpointName;
	/** The input that no two resources may share. */
	readonly slot?: string;
	/** Reads that a proxy may answer. */
	readonly reads?: readonly FaultRule[];
	/** What a delete says, where the object stays. */
	readonly farewell?: RegExp;
	/** Two resources of one program that declare the same. */
	readonly twice: "refused" | "two objects";
	/** An equal object that the state does not have: what a deployment does, and what one with consent. */
	readonly left: {
		readonly usually: RegExp | "another";
		readonly withConsent: "taken" | "another";
		/** The notice of a deployment that succeeds. */
		readonly told?: { readonly usually?: RegExp; readonly withConsent: RegExp };
	};
	/** Another user's object, of other values, where ours shall be; answers its id. */
	readonly foreign?: (world: World) => string;
	/** An object that was made and is not as declared: how that comes, what is said, and what the next run does. */
	readonly half: {
		readonly inputs?: Props;
		readonly fault?: FaultRule;
		readonly says: RegExp;
		/** What the state has then. */
		readonly shows?: Props;
		readonly next: { readonly step: "update" | "create"; readonly inputs?: Props };
	};
	/** What an import brings, or why it is refused. */
	readonly imported: Props | RegExp;
	/** An input with a secret in it, at a path. */
	readonly secret: {
		readonly inputs: Props;
		readonly path: string;
		readonly value?: string;
	};
	/** Why some cases cannot come up, and which. */
	readonly without: Readonly<Record<string, readonly CaseName[]>>;
}

/** The cases of a change by a request, and those of a name that only one can have. */
const CHANGED: readonly CaseName[] = ["unconfirmed", "unanswered", "confirmed"];
const SLOT: readonly CaseName[] = ["forced", "foreign", "taken", "lookedUp"];

/** A query that runs until it is cancelled. */
export const HOLD = "# local-server: hold\n";
const UUID = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";
export const asset = (fields: Props): Props => ({
	[SIGNATURE]: "c44067f5952c0a294b673a41bacd8c17",
	...fields,
});

const update = (to: Props, seen: Props = to): Edit => ({ to, does: "update", seen });
const replace = (to: Props, seen: Props = to): Edit => ({ to, does: "replace", seen });
const unseen = (does: Edit["does"], to: Props): Edit => ({ to, does });
const elsewhere = unseen("replace", { teamName: "audio" });

const PIPELINE_READS: FaultRule[] = [
	{ kind: "html", status: 404, endpoint: "pipelineStatus" },
	{ kind: "capped-list", limit: 0, which: "newest", endpoint: "listPipelines" },
];

const pipelineNamed = (world: World, name: unknown) =>
	world.colleague.pipelines().find((one) => one.name === name);

const theirSchedule = ({ colleague }: World, inputs: object = {}): number =>
	colleague.createSchedule({
		schedule_name: "nightly",
		pipeline_name: "p1",
		cron_expression: "0 5 * * *",
		...inputs,
	}).id;
const responseNames = (world: World, id: number) =>
	world.fault({
		kind: "rewrite",
		endpoint: "createSchedule",
		set: { "schedule.id": id },
	});
/** The response names a schedule of another user, which nobody saw before the request left. */
const namesTheirs = (inputs: object) => (world: World) => {
	world.fault({
		kind: "capped-list",
		limit: 0,
		which: "newest",
		endpoint: "listSchedules",
		times: 1,
	});
	responseNames(world, theirSchedule(world, inputs));
};

const shownAs = (set: Props): FaultRule => ({
	kind: "rewrite",
	endpoint: "getSchedule",
	set,
});
const NOT_ASKED_FOR =
	"the response named schedule 1, which is not the one that was asked for and was not changed.";

/** One procedure for every kind. */
const unclear = (what: string, why: string, listedBy: string): string =>
	`it: Could not tell whether ${what} was created in team "ml": ${why} It was not sent again, because that could create a second ` +
	`one. Wait a minute, then run "pulumi-datachain ${listedBy}". Then run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an ` +
	"equal object, or creates one if there is none.";

const SCHEDULE: KindUnderTest = {
	kind: "PipelineSchedule",
	inputs: { scheduleName: "nightly", pipelineName: "p1", cronExpression: "0 3 * * *" },
	create: {
		endpoint: "createSchedule",
		unclear:
			/^it: Could not tell whether schedule "nightly" was created in team "ml": /,
		search: {
			list: "listSchedules",
			misnamed: [
				(world) =>
					world.fault({
						kind: "rewrite",
						endpoint: "createSchedule",
						remove: ["schedule"],
					}),
				namesTheirs({ schedule_name: "other" }),
				namesTheirs({ pipeline_name: "p2" }),
				// Older than one that was seen before the request left.
				(world) => {
					const id = theirSchedule(world);
					world.server.clock.advance(60_000);
					theirSchedule(world, { schedule_name: "newer" });
					world.fault({
						kind: "capped-list",
						limit: 1,
						which: "newest",
						endpoint: "listSchedules",
					});
					responseNames(world, id);
				},
			],
			tells: (why) => unclear('schedule "nightly"', why, "schedules"),
			reasons: [
				[
					{ kind: "rewrite", endpoint: "createSchedule", remove: ["schedule"] },
					"the response named no schedule.",
				],
				[
					{ kind: "status", status: 403, endpoint: "getSchedule" },
					"the response named schedule 1, which could not be read.",
				],
				[shownAs({ "pipeline.name": "p2" }), NOT_ASKED_FOR],
				[
					shownAs({ schedule_name: "other", cron_expression: "0 9 * * *" }),
					NOT_ASKED_FOR,
				],
			],
		},
	},
	seen: (world) =>
		world.colleague.schedules().map(({ id, ...values }) => ({
			...values,
			id: String(id),
			paused: pipelineNamed(world, values.pipelineName)?.paused,
		})),
	edits: {
		scheduleName: update({ scheduleName: "renamed" }, { name: "renamed" }),
		pipelineName: replace({ pipelineName: "p2" }),
		cronExpression: update({ cronExpression: "0 4 * * *" }),
		timeZone: update({ timeZone: "Europe/Berlin" }, { cronExpression: "0 2 * * *" }),
		startAfter: update(
			{ startAfter: "2030-01-01T00:00:00+01:00" },
			{ startAfter: Date.parse("2029-12-31T23:00:00Z") },
		),
		paused: update({ paused: true }),
		teamName: elsewhere,
		adopt: unseen("same", { adopt: true }),
	},
	computed: ["utcCron"],
	drift: {
		make: ({ colleague }, { id }) =>
			void colleague.updateSchedule({
				schedule_id: Number(id),
				cron_expression: "0 9 * * *",
			}),
		shows: { cronExpression: "0 9 * * *", cronDescription: "every day at 09:00 UTC" },
	},
	loss: {
		make: ({ colleague }, { id }) => colleague.deleteSchedule(Number(id)),
		refresh: "gone",
	},
	end: "deleteSchedule",
	slot: "scheduleName",
	reads: [
		{ kind: "html", status: 404, endpoint: "getSchedule" },
		{ kind: "capped-list", limit: 0, which: "newest", endpoint: "listSchedules" },
	],
	twice: "refused",
	left: {
		usually: /already exists in team "ml".*equal in every declared field/,
		withConsent: "taken",
		told: {
			withConsent:
				/^Adopting schedule "nightly" \(id 1\) of team "ml": nothing will change\.$/,
		},
	},
	foreign: (world) => String(theirSchedule(world)),
	half: {
		fault: shownAs({ cron_expression: "0 9 * * *" }),
		says: /The service accepted schedule "nightly" \(id 1\) in team "ml", but still returns other values: cronExpression is "0 9 \* \* \*" on the service and "0 3 \* \* \*" in the program\. Run "pulumi up" again; if that does not help, compare the schedule in the web UI\.$/,
		shows: { cronExpression: "0 9 * * *", adopted: false },
		next: { step: "update" },
	},
	imported: {
		scheduleName: "nightly",
		pipelineName: "p1",
		cronExpression: "0 3 * * *",
		teamName: "ml",
	},
	secret: { inputs: { scheduleName: CANARY }, path: "scheduleName" },
	without: {},
};

const SETTINGS: KindUnderTest = {
	kind: "PipelineSettings",
	inputs: {
		pipelineName: "p1",
		workers: 2,
		environment: { A: "1" },
		onDestroy: "reset",
	},
	create: {
		endpoint: "updateSettings",
		repeatable: true,
		unclear: /502, the service failed/,
	},
	// One worker, or none told, is what a pipeline has that nobody tuned.
	seen: ({ colleague }) =>
		colleague
			.pipelines()
			.filter(({ settings }) => (settings.workers ?? 1) > 1)
			.map(({ name, paused, settings }) => ({ id: `ml/${name}`, paused, ...settings })),
	edits: {
		pipelineName: replace({ pipelineName: "p2" }, { id: "ml/p2" }),
		pythonVersion: update({ pythonVersion: "3.12" }),
		requirements: update(
			{ requirements: ["numpy", "torch"] },
			{ requirements: "numpy\ntorch" },
		),
		repository: update({ repository: "https://example.com/repo.git" }),
		workers: update({ workers: 3 }),
		priority: update({ priority: 1 }),
		environment: update({ environment: { B: "2" } }),
		storage: update(
			{ storage: { s3: { anon: true } } },
			{ environment: { A: "1", FSSPEC_S3: '{"anon":true}' } },
		),
		files: unseen("update", { files: [] }),
		credentialsNames: update({ credentialsNames: ["aws"] }),
		paused: update({ paused: true }),
		teamName: elsewhere,
		adopt: unseen("same", { adopt: true }),
		onDestroy: unseen("update", { onDestroy: "keep" }),
	},
	computed: [],
	drift: {
		make: ({ colleague }) =>
			void colleague.setSettings({
				pipeline_name: "p1",
				workers: 9,
				environment: "A=2",
			}),
		shows: { workers: 9, environment: { A: "2" } },
	},
	loss: { make: ({ colleague }) => colleague.forgetPipeline("p1"), refresh: "gone" },
	end: "updateSettings",
	slot: "pipelineName",
	reads: PIPELINE_READS,
	twice: "refused",
	left: {
		usually:
			/already has settings that this program does not manage: workers \(the same value\)/,
		withConsent: "taken",
	},
	foreign: ({ colleague }) => {
		colleague.setSettings({ pipeline_name: "p1", workers: 7 });
		return "ml/p1";
	},
	half: {
		// The first read comes before the write.
		fault: {
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { workers: 9 },
			skip: 1,
		},
		says: /The service accepted the settings of pipeline "p1" in team "ml", but still returns other values: workers is 9 on the service and 2 in the program\. Run "pulumi up" again; if that does not help, compare the settings in the web UI\.$/,
		shows: { workers: 9 },
		next: { step: "update" },
	},
	imported: { pipelineName: "p1", workers: 2, teamName: "ml" },
	secret: { inputs: { environment: { A: CANARY } }, path: "environment.A" },
	without: {
		"A pipeline has its settings from the start: no response has to name them.": [
			"misnamed",
			"unshown",
		],
	},
};

const FILE: KindUnderTest = {
	kind: "JobFile",
	inputs: { text: "print(1)", name: "a.py" },
	create: {
		endpoint: "uploadFile",
		unclear:
			/^it: Could not upload a file .* File "a\.py" may exist on the service, but no request can find it\. Run "pulumi up" again: it uploads the file again, and jobs use only that copy\.$/s,
	},
	edits: {
		source: unseen("same", { text: undefined, source: asset({ text: "print(1)" }) }),
		text: unseen("replace", { text: "print(2)" }),
		name: unseen("replace", { name: "b.py" }),
		teamName: elsewhere,
	},
	computed: ["contentHash"],
	farewell:
		/^The API cannot delete an uploaded file: Pulumi removes it from the state, and the file stays on the service\.$/,
	twice: "two objects",
	left: { usually: "another", withConsent: "another" },
	half: {
		fault: {
			kind: "rewrite",
			endpoint: "uploadFile",
			set: { state: "failed" },
			times: 1,
		},
		says: /The service could not store file "a\.py" in team "ml"/,
		next: { step: "create" },
	},
	imported: /cannot be imported: the API cannot return an uploaded file/,
	secret: { inputs: { text: CANARY }, path: "text" },
	without: {
		"The API neither lists, reads nor deletes a file, so no response can speak of one again.":
			[
				...([
					"drift",
					"gone",
					"proxy",
					"misnamed",
					"unshown",
					"kept",
					"outdated",
				] as const),
				...CHANGED,
			],
		"Each upload makes a file of its own: none can be in the way of another.": SLOT,
	},
};

const JOB: KindUnderTest = {
	kind: "Job",
	inputs: { query: HOLD, name: "train.py" },
	create: {
		endpoint: "createJob",
		unclear: /^it: Could not tell whether job "train\.py" was created in team "ml": /,
		search: {
			list: "listJobs",
			misnamed: [
				(world) =>
					world.fault({ kind: "rewrite", endpoint: "createJob", set: { id: UUID } }),
				(world) => {
					world.colleague.trigger(["dev.images.raw"], false);
					const [theirs] = world.colleague.jobs();
					world.fault({
						kind: "rewrite",
						endpoint: "createJob",
						set: { id: theirs?.id },
					});
				},
			],
			tells: (why) => unclear('job "train.py"', why, "jobs"),
			reasons: [
				[
					{ kind: "rewrite", endpoint: "createJob", set: { id: UUID } },
					"the response named no job that could be read.",
				],
			],
		},
	},
	seen: ({ colleague }) =>
		colleague
			.jobs()
			.flatMap((job) =>
				/^(CANCEL|COMPLETE|FAILED)/.test(job.status) ? [] : [{ ...job }],
			),
	edits: {
		query: replace({ query: `${HOLD}#` }),
		file: unseen("same", { query: undefined, file: asset({ text: HOLD }) }),
		queryType: replace({ queryType: "SHELL" }),
		name: replace({ name: "other.py" }),
		workers: replace({ workers: 2 }),
		environment: replace(
			{ environment: { A: "1" } },
			{ environment: expect.objectContaining({ A: "1" }) },
		),
		storage: replace(
			{ storage: { s3: { anon: true } } },
			{ environment: expect.objectContaining({ FSSPEC_S3: '{"anon":true}' }) },
		),
		requirements: replace(
			{ requirements: ["numpy", "torch"] },
			{ requirements: "numpy\ntorch" },
		),
		repository: replace({ repository: "https://example.com/repo.git@main" }),
		pythonVersion: replace({ pythonVersion: "3.11" }),
		priority: replace({ priority: 2 }),
		files: unseen("same", { files: [] }),
		credentialsName: replace({ credentialsName: "prod" }),
		clusterName: replace({ clusterName: "gpu" }, { clusterId: 2 }),
		clusterId: replace({ clusterId: 2 }),
		startAfter: replace({ startAfter: "2030-01-01T00:00:00Z" }, {}),
		cronExpression: replace({ cronExpression: "0 3 * * *" }, {}),
		rerunFrom: replace({ rerunFrom: UUID }, { rerunFromJobId: UUID }),
		reset: unseen("replace", { reset: true }),
		wait: unseen("same", { wait: false }),
		timeout: unseen("same", { timeout: "7m" }),
		triggers: unseen("replace", { triggers: { release: 2 } }),
		teamName: elsewhere,
	},
	computed: ["contentHash"],
	// A service forgets old jobs. One that it forgot has run all the same, so nothing is to be run again.
	loss: {
		make: ({ colleague }, { id }) => colleague.forgetJob(id),
		refresh: "read",
		sends: ["cancelJob"],
	},
	end: "cancelJob",
	reads: [{ kind: "html", status: 404, endpoint: "listJobs" }],
	twice: "two objects",
	left: {
		usually:
			/^it: The job of this resource is already RUNNING \(id ([\da-f-]+), started by developer\)\. No second job was started\. If an interrupted deployment created it, run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once\. It adopts an equal object, or creates one if there is none\. Otherwise cancel it with "pulumi-datachain cancel \1"\. To run it again, change triggers: --replace would start the new job before it cancels this one\.$/,
		withConsent: "taken",
		told: {
			withConsent:
				/^Job "train\.py" \(id [\da-f-]+, RUNNING\) is adopted: it has the same declaration, and DATACHAIN_ADOPT_EQUAL is set\.$/,
		},
	},
	half: {
		inputs: { wait: true, timeout: "1m" },
		says: /^it: Job "train\.py" \(id ([\da-f-]+)\) in team "ml" is RUNNING, and it did not end within 1 min, which is its timeout\. It was not stopped\. Run "pulumi up" again to continue waiting for it, or cancel it with "pulumi-datachain cancel \1"\.$/,
		shows: { status: "RUNNING" },
		next: { step: "update", inputs: { timeout: "1m" } },
	},
	imported:
		/^Job (\S+) cannot be imported: a Job resource manages only the job that it started, so the next deployment would cancel this one and start another\. Remove it from the program; getJobs and "pulumi-datachain jobs" still list it\. Or declare a Job, which starts a new one, and cancel this one with "pulumi-datachain cancel \1"\.$/,
	secret: { inputs: { environment: { A: CANARY } }, path: "environment.A" },
	without: {
		"No request changes a job: what it was started with is what it is.": [
			"drift",
			"outdated",
			...CHANGED,
		],
		"A job has no name that another could have taken: each create starts one of its own.":
			SLOT,
	},
};

const triggered = (set: Props): FaultRule => ({
	kind: "rewrite",
	endpoint: "triggerPipeline",
	set,
});
const GHOST = { "pipeline.name": "ghost", "pipeline.pipeline_id": UUID };

const PIPELINE: KindUnderTest = {
	kind: "Pipeline",
	inputs: { datasets: ["dev.images.clean"], start: true },
	create: {
		endpoint: "triggerPipeline",
		unclear:
			/^it: Could not tell whether a pipeline of dev\.images\.clean was created in team "ml": /,
		search: {
			list: "listPipelines",
			misnamed: [
				(world) => world.fault(triggered({ pipeline: null })),
				(world) => world.fault(triggered(GHOST)),
				(world) => world.fault(triggered({ "pipeline.name": null })),
				(world) =>
					world.fault({
						kind: "status",
						status: 403,
						endpoint: "pipelineStatus",
						times: 3,
					}),
			],
			tells: (why) => unclear("a pipeline of dev.images.clean", why, "pipelines"),
			reasons: [
				[triggered({ pipeline: null }), "the response named no pipeline."],
				[
					triggered(GHOST),
					'the response named pipeline "ghost", which could not be read.',
				],
				[
					triggered({ "pipeline.name": "p1" }),
					'the response named pipeline "p1", which could not be read.',
				],
				[
					triggered({ ...GHOST, "pipeline.name": null }),
					`the response named pipeline "${UUID}", which could not be read.`,
				],
			],
		},
	},
	// One that was let go stays, and is paused.
	seen: ({ colleague }) =>
		colleague
			.pipelines()
			.flatMap((one) =>
				one.createdBy === "developer" && !one.paused ? [{ ...one }] : [],
			),
	edits: {
		datasets: replace(
			{ datasets: ["dev.images.raw"] },
			{ triggeredFrom: expect.stringMatching(/^dev\.images\.raw@/) },
		),
		start: { from: { start: false }, ...update({ start: true }, { paused: false }) },
		removeJobs: {
			from: { start: false },
			...unseen("update", { removeJobs: ["dev.images.raw"] }),
		},
		wait: unseen("same", { wait: true }),
		timeout: unseen("same", { timeout: "7m" }),
		triggers: unseen("replace", { triggers: 2 }),
		onDestroy: unseen("update", { onDestroy: "leave" }),
		teamName: elsewhere,
	},
	computed: [],
	loss: {
		make: ({ colleague }, { outs }) => colleague.forgetPipeline(String(outs.name)),
		refresh: "gone",
	},
	end: "pausePipeline",
	reads: PIPELINE_READS,
	farewell: /was paused and stays on the service: the API cannot delete a pipeline/,
	twice: "two objects",
	left: {
		usually: "another",
		withConsent: "taken",
		told: {
			usually:
				/^Pipeline ".*" of team "ml" was triggered from the same datasets less than an hour ago and is not in the state; another one is created\. .*DATACHAIN_ADOPT_EQUAL=true pulumi up" once\. It adopts an equal object, or creates one if there is none\.$/,
			withConsent:
				/^Pipeline ".*" of team "ml" is adopted: it was triggered from the same datasets less than an hour ago, and DATACHAIN_ADOPT_EQUAL is set\.$/,
		},
	},
	half: {
		inputs: { start: false },
		fault: { kind: "rewrite", endpoint: "pipelineStatus", set: { status: "RUNNING" } },
		says: /to pause pipeline .*, but still returns it as RUNNING/,
		next: { step: "update", inputs: { start: false } },
	},
	imported: {
		datasets: ["dev.images.clean@1.0.0"],
		start: false,
		onDestroy: "pause",
		teamName: "ml",
	},
	secret: {
		inputs: { datasets: [`dev.images.${CANARY}`] },
		path: "datasets",
		value: `dev.images.${CANARY}`,
	},
	without: {
		"No request changes what a pipeline is made from; settings and pause belong to other resources.":
			["drift", ...CHANGED],
		"A pipeline gets its name from the service: none can be taken.": SLOT,
	},
};

export const KINDS_UNDER_TEST: Readonly<Record<Kind, KindUnderTest>> = {
	PipelineSchedule: SCHEDULE,
	PipelineSettings: SETTINGS,
	JobFile: FILE,
	Job: JOB,
	Pipeline: PIPELINE,
};
