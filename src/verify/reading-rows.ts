import { isMask } from "../schemas/environment";
import { SHOWN_SETTINGS } from "../schemas/pipeline-status";
import { parseInstant } from "../text/instant";
import { list } from "../text/wording";
import type { Assumption } from "./assumption";
import { differs, holds, type Outcome, Untried, untried } from "./outcome";
import type { ListName, ReadingFacts } from "./reading-facts";
import { fieldOf, type Service, typeOf } from "./service";

type Row = Assumption<"reading">;
type Context = { readonly service: Service; readonly facts: ReadingFacts };

const row = (about: Omit<Row, "group">): Row => ({ group: "reading", ...about });

/** Looks at every element of a list, which must have some. */
async function each(
	{ facts }: Context,
	lists: readonly ListName[],
	problemOf: (element: unknown) => string | undefined,
	fine: string,
): Promise<Outcome> {
	const elements = (await Promise.all(lists.map((name) => facts.list(name)))).flat();
	if (elements.length === 0) return untried("the team has none");
	const problems = [
		...new Set(elements.flatMap((element) => problemOf(element) ?? [])),
	];
	return problems.length === 0
		? holds(`${fine} (${elements.length} checked)`)
		: differs(problems.join("; "));
}

const instantOf = (element: unknown): string | undefined => {
	const at = fieldOf(element, "created_at");
	return typeof at === "string" ? at : undefined;
};

async function newestFirst({ facts }: Context, name: ListName): Promise<Outcome> {
	const times = (await facts.list(name)).map((element) =>
		parseInstant(instantOf(element) ?? ""),
	);
	const definedTimes = times.filter((at) => at !== undefined);
	if (new Set(definedTimes).size < 2)
		return untried("the team has fewer than two of different ages");
	const isOrdered = definedTimes.every(
		(at, index) => index === 0 || at <= (definedTimes[index - 1] ?? at),
	);
	return isOrdered
		? holds(`${definedTimes.length} in order`)
		: differs("another order");
}

const statusRow = (
	wanted: number,
	about: Omit<Row, "group" | "probe">,
	ask: (facts: ReadingFacts) => Promise<{ readonly status: number }>,
): Row =>
	row({
		...about,
		probe: async ({ facts }) => {
			const { status } = await ask(facts);
			return status === wanted ? holds(String(status)) : differs(String(status));
		},
	});

const WITH_TIMES: readonly ListName[] = ["listJobs", "listPipelines", "listSchedules"];
const LISTS: readonly ListName[] = ["listClusters", ...WITH_TIMES];

/** What a service sends where it has no `limit`. */
const USUAL = 20;
const MANY = 1_000;

/** Whether a list goes beyond what the service sends by itself. */
async function limitHonoured({ facts }: Context): Promise<Outcome> {
	const [usual, more] = [
		await facts.list("listJobs"),
		await facts.list("listJobs", { limit: MANY }),
	];
	if (more.length > usual.length)
		return holds(`${usual.length} without, ${more.length} with limit ${MANY}`);
	if (usual.length < USUAL) return untried(`the team has fewer than ${USUAL + 1} jobs`);
	// As many with as without: either there are no more, or the limit has no effect. Parts of the list tell.
	const parts = await Promise.all(
		["ACTIVE", "INACTIVE"].map((status) =>
			facts.list("listJobs", { status, limit: MANY }),
		),
	);
	const ids = new Set([...usual, ...parts.flat()].map((job) => fieldOf(job, "id")));
	if (ids.size > more.length)
		return differs(
			`${more.length} with limit ${MANY}, and there are at least ${ids.size}`,
		);
	return untried(`the team has exactly ${more.length} jobs, as far as can be seen`);
}

const OFFSET = /(Z|[+-]\d\d:?\d\d)$/i;

const timeProblem = (element: unknown): string | undefined => {
	const at = fieldOf(element, "created_at");
	if (at === null || at === undefined) return undefined;
	if (typeof at !== "string" || parseInstant(at) === undefined)
		return "a time is not ISO 8601";
	return OFFSET.test(at) ? undefined : "a time has no offset";
};

function fractionProblem(element: unknown): string | undefined {
	const at = instantOf(element);
	const [, digits = ""] = /:\d\d\.(\d+)/.exec(at ?? "") ?? [];
	return at === undefined || digits.length >= 6
		? undefined
		: `a time has ${digits.length} digits behind the second`;
}

const TOLERATED_SKEW_SECONDS = 60;

async function variablesShown({ facts }: Context): Promise<Outcome> {
	const pipelines = await facts.list("listPipelines");
	const named = pipelines.find(
		(pipeline) => Object.keys(variablesOf(pipeline)).length > 0,
	);
	const name = fieldOf(named, "name");
	if (typeof name !== "string")
		return untried("none of the newest pipelines shows a variable");
	const { json } = (await facts.ask("pipelineStatus", { name })).orThrow();
	const [before, now] = [variablesOf(named), variablesOf(json)];
	const values = Object.keys(before).map((variable) => fieldOf(now, variable));
	if (values.some((value) => value === undefined))
		return differs("a variable is not shown");
	if (values.some((value) => typeof value !== "string"))
		return differs("a value is not text");
	const masked = values.filter((value) => isMask(String(value)));
	return masked.length > 0
		? differs("a value is masked")
		: holds(`${values.length} with their values`);
}

const variablesOf = (pipeline: unknown): object =>
	Object(fieldOf(pipeline, "environment_variables"));

async function newestPipeline(facts: ReadingFacts): Promise<string> {
	const [name] = await facts.pipelineNames();
	if (name === undefined) throw new Untried("the team has no pipelines");
	return name;
}

/** What can be seen without a write. */
export const readingRows = {
	bearer: row({
		source: "documented",
		sentence: "The service accepts the header `Authorization: Bearer TOKEN`.",
		otherwise:
			"No request of the provider succeeds: the Python client's scheme, `token TOKEN`, is never sent.",
		matters: true,
		probe: async ({ service }) =>
			service.scheme === "Bearer"
				? holds("200")
				: differs("only `token TOKEN` is accepted"),
	}),
	"no-token-401": statusRow(
		401,
		{
			source: "observed",
			sentence: "A request without a token is answered with 401.",
			otherwise: "The error names another cause than the token.",
			matters: false,
		},
		(facts) => facts.withoutToken(),
	),
	"other-team-403": statusRow(
		403,
		{
			source: "observed",
			sentence: "A request for a team that the token cannot see is answered with 403.",
			otherwise:
				"The error names another cause than the team. If it is 200, `team_name` does not select the team.",
			matters: true,
		},
		(facts) => facts.otherTeam(),
	),
	"absent-404": statusRow(
		404,
		{
			source: "assumed",
			sentence: "A schedule that does not exist is answered with 404.",
			otherwise:
				"A 400 whose message says that nothing was found counts as 404. After any other status the provider keeps the schedule in its state.",
			matters: true,
		},
		(facts) => facts.absentSchedule(),
	),
	"error-message": row({
		source: "observed",
		sentence: "The body of an error is a JSON object with the text `message`.",
		otherwise:
			"The text `detail` is read, too. A 404 in another form counts as a proxy's and proves nothing.",
		matters: true,
		probe: async ({ facts }) => {
			const answers = [
				await facts.withoutToken(),
				await facts.otherTeam(),
				await facts.absentSchedule(),
			];
			const errors = answers.filter(({ status }) => status >= 400);
			const strange = errors.filter(
				({ json }) => typeof fieldOf(json, "message") !== "string",
			);
			if (errors.length === 0) return untried("nothing was refused");
			if (strange.length === 0)
				return holds(errors.map(({ status }) => status).join(", "));
			const hasDetail = strange.every(
				({ json }) => fieldOf(json, "detail") !== undefined,
			);
			const where = list(strange.map(({ status }) => String(status)));
			return differs(
				`no message in the body of ${where}${hasDetail ? ", but detail" : ""}`,
			);
		},
	}),
	"lists-are-arrays": row({
		source: "documented",
		sentence: "The lists of clusters, jobs, pipelines and schedules are JSON arrays.",
		otherwise:
			"The list cannot be read, and what needs it fails with a message that names the form.",
		matters: true,
		probe: async ({ facts }) => {
			const answers = await Promise.all(
				LISTS.map(async (name) => ({ name, answer: await facts.ask(name) })),
			);
			const strange = answers.filter(
				({ answer }) => !Array.isArray(answer.orThrow().json),
			);
			const seen = strange.map(
				({ name, answer }) => `${name} is ${typeOf(answer.json)}`,
			);
			return seen.length === 0
				? holds(`${LISTS.length} arrays`)
				: differs(seen.join("; "));
		},
	}),
	"clusters-have-ids": row({
		source: "documented",
		sentence:
			"A compute cluster has a name and an id, which is an integer or a string.",
		otherwise: "The cluster is left out of the list, with a warning.",
		matters: true,
		probe: (context) =>
			each(
				context,
				["listClusters"],
				(cluster) => {
					const [id, name] = [fieldOf(cluster, "id"), fieldOf(cluster, "name")];
					if (typeof name !== "string") return `a name is ${typeOf(name)}`;
					return Number.isInteger(id) || typeof id === "string"
						? undefined
						: `an id is ${typeOf(id)}`;
				},
				"names and ids",
			),
	}),
	"schedules-have-integer-ids": row({
		source: "documented",
		sentence: "The id of a schedule is an integer.",
		otherwise:
			"An integer in quotes is read as one. Any other schedule is left out of the list, with a warning.",
		matters: true,
		probe: (context) =>
			each(
				context,
				["listSchedules"],
				(schedule) => {
					const id = fieldOf(schedule, "id");
					return Number.isSafeInteger(id) ? undefined : `an id is ${typeOf(id)}`;
				},
				"integers",
			),
	}),
	"jobs-have-text-ids": row({
		source: "documented",
		sentence: "The id of a job is a string.",
		otherwise: "The job is left out of the list, with a warning.",
		matters: true,
		probe: (context) =>
			each(
				context,
				["listJobs"],
				(job) => {
					const id = fieldOf(job, "id");
					return typeof id === "string" ? undefined : `an id is ${typeOf(id)}`;
				},
				"strings",
			),
	}),
	"pipelines-have-text-ids": row({
		source: "documented",
		sentence: "The id of a pipeline is a string.",
		otherwise: "The pipeline is left out of the list, with a warning.",
		matters: true,
		probe: (context) =>
			each(
				context,
				["listPipelines"],
				(pipeline) => {
					const id = fieldOf(pipeline, "pipeline_id");
					return typeof id === "string" ? undefined : `an id is ${typeOf(id)}`;
				},
				"strings",
			),
	}),
	"jobs-newest-first": row({
		source: "observed",
		sentence: "The list of jobs has the newest first.",
		otherwise:
			"A job whose create response was lost may not be in the part of the list that is read.",
		matters: true,
		probe: (context) => newestFirst(context, "listJobs"),
	}),
	"pipelines-newest-first": row({
		source: "observed",
		sentence: "The list of pipelines has the newest first.",
		otherwise:
			"A pipeline whose trigger response was lost may not be in the part of the list that is read.",
		matters: true,
		probe: (context) => newestFirst(context, "listPipelines"),
	}),
	"limit-honoured": row({
		source: "observed",
		sentence:
			"`limit` makes the list of jobs longer than the 20 that the service sends by default.",
		otherwise:
			"Objects beyond the newest 20 are found only by a request for their id or name.",
		matters: true,
		probe: limitHonoured,
	}),
	"times-have-offsets": row({
		source: "documented",
		sentence: "Times are ISO 8601 with an offset.",
		otherwise: "A time without an offset is read as UTC.",
		matters: false,
		probe: (context) => each(context, WITH_TIMES, timeProblem, "all have one"),
	}),
	"times-have-microseconds": row({
		source: "observed",
		sentence: "Times have microseconds.",
		otherwise: "Two times are compared with the precision of the coarser one.",
		matters: false,
		probe: (context) => each(context, WITH_TIMES, fractionProblem, "all have them"),
	}),
	"clocks-agree": row({
		source: "assumed",
		sentence: `The service sends its time, and it is within ${TOLERATED_SKEW_SECONDS} s of this machine's.`,
		otherwise:
			"The provider uses the service's clock, if it sends one. Your own start times may lie in its past.",
		matters: true,
		probe: async ({ facts }) => {
			const { serviceTime, receivedAt } = await facts.ask("listClusters");
			if (serviceTime === undefined) return differs("it sends no time");
			const seconds = Math.round((receivedAt - serviceTime) / 1_000);
			if (Math.abs(seconds) <= TOLERATED_SKEW_SECONDS) return holds("they agree");
			return differs(
				`this machine is ${Math.abs(seconds)} s ${seconds < 0 ? "behind" : "ahead"}`,
			);
		},
	}),
	"status-is-of-name": row({
		source: "observed",
		sentence: "The status request answers about the pipeline whose name it has.",
		otherwise:
			"The provider compares the name in the response, and fails before it writes to another pipeline.",
		matters: true,
		probe: async ({ facts }) => {
			const name = await newestPipeline(facts);
			const { json } = (await facts.ask("pipelineStatus", { name })).orThrow();
			return fieldOf(json, "name") === name
				? holds("the same name")
				: differs("another name");
		},
	}),
	"settings-shown": row({
		source: "documented",
		sentence:
			"A pipeline shows its Python version, requirements, repository, workers, priority and variables.",
		otherwise:
			"A setting that is not shown counts as unknown: it is written once, and drift in it is not found.",
		matters: true,
		probe: async ({ facts }) => {
			const { json } = (
				await facts.ask("pipelineStatus", { name: await newestPipeline(facts) })
			).orThrow();
			const missing = SHOWN_SETTINGS.filter(
				(field) => fieldOf(json, field) === undefined,
			);
			return missing.length === 0
				? holds("all of them")
				: differs(`not shown: ${missing.join(", ")}`);
		},
	}),
	"variables-shown": row({
		source: "documented",
		sentence: "A pipeline shows its variables with their values, without masks.",
		otherwise:
			"A write that would have to repeat a masked or hidden value is refused before it is sent.",
		matters: true,
		probe: variablesShown,
	}),
	"schedule-shows-pipeline": row({
		source: "documented",
		sentence:
			"A schedule that is requested by its id shows the pipeline that it runs, with its name.",
		otherwise:
			"The pipeline of the state is kept, so a schedule that was moved is not found as drift.",
		matters: true,
		probe: async ({ facts }) => {
			const [schedule] = await facts.list("listSchedules");
			const id = Number(fieldOf(schedule, "id"));
			if (!Number.isSafeInteger(id))
				return untried("the team has no schedule with an integer id");
			const { json } = (await facts.ask("getSchedule", { schedule_id: id })).orThrow();
			const name = fieldOf(fieldOf(json, "pipeline"), "name");
			return typeof name === "string"
				? holds("it does")
				: differs(`its name is ${typeOf(name)}`);
		},
	}),
} satisfies Record<string, Row>;
