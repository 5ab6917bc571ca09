import { sameCron } from "../cron";
import { parseInstant, sameInstant } from "../text/instant";
import type { Assumption } from "./assumption";
import { differs, holds, type Outcome, untried } from "./outcome";
import { fieldOf, type Service, typeOf } from "./service";
import {
	linesOf,
	readPipeline,
	sendVariables,
	type Variables,
	variablesOf,
} from "./variables";
import { PATIENCE_MILLIS, type WritingFacts } from "./writing-facts";

type Row = Assumption<"writing">;
type Context = { readonly service: Service; readonly facts: WritingFacts };

const row = (about: Omit<Row, "group">): Row => ({ group: "writing", ...about });

const LONGEST = `${PATIENCE_MILLIS / 1_000} s`;

/** How long it took until it could be seen. */
function seenAfter(
	millis: number | undefined,
	{ patienceMillis }: WritingFacts,
): Outcome {
	return millis === undefined
		? differs(`not within ${patienceMillis / 1_000} s`)
		: holds(`after ${millis} ms`);
}

const read = async (
	{ service }: Context,
	id: number,
): Promise<{ status: number; json: unknown }> =>
	service.ask("getSchedule", { schedule_id: id });

async function listed({ service }: Context, id: number): Promise<boolean> {
	const { json } = (await service.ask("listSchedules")).orThrow();
	return (
		Array.isArray(json) &&
		json.some((schedule) => String(fieldOf(schedule, "id")) === String(id))
	);
}

/** What a value that is not the one that was sent looks like; the service may have put anything there. */
const instead = (value: unknown): string =>
	differsAs(
		typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeOf(value),
	);
const differsAs = (text: string): string => `it shows ${text}`;

const schedules = {
	"create-answers": row({
		source: "documented",
		sentence: "Creating a schedule answers with the schedule and its id.",
		otherwise:
			"The provider searches the list for a new schedule that equals the declared one.",
		matters: true,
		probe: async ({ facts }) => {
			const { names } = facts.target;
			const { status, json } = await facts.create(names.schedule);
			if (status >= 300) return differs(String(status));
			const schedule = fieldOf(json, "schedule");
			const [id, name] = [
				Number(fieldOf(schedule, "id")),
				fieldOf(schedule, "schedule_name"),
			];
			if (facts.target.scheduleIds.has(String(id)))
				return differs(
					"it answers with a schedule that existed before, which was not used",
				);
			if (!facts.ids.has(id)) return differs(`the schedule is ${typeOf(schedule)}`);
			return name === names.schedule ? holds("with its id") : differs(instead(name));
		},
	}),
	"get-after-create": row({
		source: "assumed",
		sentence: `A new schedule can be requested by its id within ${LONGEST}.`,
		otherwise: "The operation fails after 20 s, and the state keeps the id.",
		matters: true,
		probe: async (context) => {
			const { facts } = context;
			const millis = await facts.until(async () => {
				const { status, json } = await read(context, facts.id);
				if (status < 300) facts.shown = json;
				return status < 300;
			});
			return seenAfter(millis, facts);
		},
	}),
	"list-after-create": row({
		source: "assumed",
		sentence: `The list of schedules shows a new one within ${LONGEST}.`,
		otherwise:
			"A schedule that the list lacks is requested by its id before it counts as gone.",
		matters: true,
		probe: async (context) => {
			const { facts } = context;
			const { id } = facts;
			return seenAfter(await facts.until(() => listed(context, id)), facts);
		},
	}),
	"echo-name": row({
		source: "assumed",
		sentence: "A schedule shows its name as it was sent.",
		otherwise: "The read after the write fails and names the field.",
		matters: true,
		needs: ["get-after-create"],
		probe: async ({ facts }) => {
			const name = fieldOf(facts.schedule, "schedule_name");
			return name === facts.target.names.schedule
				? holds("the same text")
				: differs(instead(name));
		},
	}),
	"echo-cron": row({
		source: "assumed",
		sentence: "A schedule shows a cron expression that means what was sent.",
		otherwise: "The read after the write fails and names the field.",
		matters: true,
		needs: ["get-after-create"],
		probe: async ({ facts }) => {
			const cron = fieldOf(facts.schedule, "cron_expression");
			if (cron === facts.cron) return holds("the same text");
			if (typeof cron === "string" && sameCron(cron, facts.cron))
				return holds("another text, the same times");
			return differs(instead(cron));
		},
	}),
	"echo-start": row({
		source: "assumed",
		sentence: "A schedule shows the start time that was sent.",
		otherwise: "The read after the write fails and names the field.",
		matters: true,
		needs: ["get-after-create"],
		probe: async ({ facts }) => {
			const start = fieldOf(facts.schedule, "start_after");
			if (typeof start !== "string") return differs(instead(start));
			return sameInstant(start, facts.start)
				? holds("the same instant")
				: differs(instead(start));
		},
	}),
	"next-run-after-start": row({
		source: "assumed",
		sentence: "A schedule does not run before its start time.",
		otherwise: "The forecast and `nextRun` are wrong: they count from the start time.",
		matters: true,
		needs: ["get-after-create"],
		probe: async ({ facts }) => {
			const next = fieldOf(facts.schedule, "next_run");
			const at = typeof next === "string" ? parseInstant(next) : undefined;
			if (at === undefined) return untried("the schedule shows no next run");
			return at >= (parseInstant(facts.start) ?? 0)
				? holds("next run after it")
				: differs("next run before it");
		},
	}),
	"schedule-runs-pipeline": row({
		source: "documented",
		sentence: "A schedule shows the pipeline that it was created for.",
		otherwise: "The read after the write fails and names the field.",
		matters: true,
		needs: ["get-after-create", "schedule-shows-pipeline"],
		probe: async ({ facts }) => {
			const name = fieldOf(fieldOf(facts.schedule, "pipeline"), "name");
			if (name === undefined) return untried("the schedule shows no pipeline");
			return name === facts.target.pipeline
				? holds("the same pipeline")
				: differs("another pipeline");
		},
	}),
	"same-name": row({
		source: "assumed",
		sentence: "The service accepts a second schedule of the same name.",
		otherwise:
			"A replacement, which creates the new schedule before it deletes the old one, fails. Use `deleteBeforeReplace`.",
		matters: true,
		probe: async ({ facts }) => {
			const { id, target } = facts;
			const { status } = await facts.create(target.names.schedule);
			const second = facts.secondId;
			if (second !== undefined && second !== id) await facts.delete(second);
			return status < 300 ? holds("accepted") : differs(String(status));
		},
	}),
	rename: row({
		source: "documented",
		sentence: "An update with another name renames the schedule.",
		otherwise: "The read after the write fails and names the field.",
		matters: true,
		needs: ["get-after-create", "echo-name"],
		probe: async (context) => {
			const { facts, service } = context;
			const { renamed } = facts.target.names;
			const { status } = await service.ask("updateSchedule", {
				schedule_id: facts.id,
				schedule_name: renamed,
			});
			if (status >= 300) return differs(String(status));
			const millis = await facts.until(async () => {
				const { json } = await read(context, facts.id);
				if (fieldOf(json, "id") !== undefined) facts.shown = json;
				return fieldOf(json, "schedule_name") === renamed;
			});
			return seenAfter(millis, facts);
		},
	}),
	"update-keeps-rest": row({
		source: "assumed",
		sentence: "An update of a schedule keeps the fields that it leaves out.",
		otherwise:
			"The provider compares the fields that are not declared before and after, and fails if one was cleared.",
		matters: true,
		needs: ["get-after-create", "echo-cron", "echo-start"],
		probe: async ({ facts }) => {
			const [cron, start] = ["cron_expression", "start_after"].map((field) =>
				fieldOf(facts.schedule, field),
			);
			const isKept = [
				typeof cron === "string" && sameCron(cron, facts.cron),
				typeof start === "string" && sameInstant(start, facts.start),
			];
			if (isKept.every(Boolean)) return holds("cron expression and start time kept");
			return differs(
				isKept[0] ? "the start time changed" : "the cron expression changed",
			);
		},
	}),
	"same-values": row({
		source: "assumed",
		sentence: "The service accepts an update that changes nothing.",
		otherwise: "A deployment that repeats an update whose response was lost fails.",
		matters: true,
		probe: async ({ facts, service }) => {
			const again = {
				schedule_id: facts.id,
				cron_expression: facts.cron,
				start_after: facts.start,
			};
			const { status } = await service.ask("updateSchedule", again);
			return status < 300 ? holds("accepted") : differs(String(status));
		},
	}),
	"get-after-delete": row({
		source: "assumed",
		sentence: `A request for a deleted schedule is answered with 404 within ${LONGEST}.`,
		otherwise:
			"The delete succeeds. A refresh soon after it may still find the schedule.",
		matters: true,
		needs: ["get-after-create"],
		probe: async (context) => {
			const { facts } = context;
			const { id } = facts;
			const { status } = await facts.delete(id);
			if (status >= 300) return differs(`the delete is answered with ${status}`);
			return seenAfter(
				await facts.until(async () => (await read(context, id)).status === 404),
				facts,
			);
		},
	}),
	"list-after-delete": row({
		source: "assumed",
		sentence: `The list of schedules lacks a deleted one within ${LONGEST}.`,
		otherwise: "The name of the deleted schedule counts as taken for longer.",
		matters: true,
		needs: ["list-after-create", "get-after-delete"],
		probe: async (context) => {
			const { facts } = context;
			const { id } = facts;
			if (!facts.deleted.has(id)) return untried("the schedule was not deleted");
			return seenAfter(
				await facts.until(async () => !(await listed(context, id))),
				facts,
			);
		},
	}),
	"delete-again": row({
		source: "assumed",
		sentence: "Deleting a schedule that is gone is answered with 404.",
		otherwise:
			"Any success counts as deleted. Another refusal fails the delete if its response was lost before.",
		matters: true,
		needs: ["get-after-delete"],
		probe: async ({ facts }) => {
			if (!facts.deleted.has(facts.id)) return untried("the schedule was not deleted");
			const { status } = await facts.delete(facts.id);
			return status === 404 ? holds("404") : differs(String(status));
		},
	}),
} satisfies Record<string, Row>;

/** What a shell, a parser of lines or a template engine would be tempted to change. */
const VALUE = "a=b c  'd' \\n $HOME #e";

/** Adds the variable, and looks at the pipeline before and after. */
async function addVariable(context: Context): Promise<Outcome> {
	const { facts, service } = context;
	const { pipeline, names } = facts.target;
	const before = await readPipeline(service, pipeline);
	const others = variablesOf(before);
	const lines = linesOf({ [names.variable]: VALUE }, others);
	facts.settingsSent = true;
	const reply = await sendVariables(service, pipeline, lines);
	facts.settingsAnswered = true;
	if (reply.status >= 300) return differs(String(reply.status));
	let after: unknown;
	await facts.until(async () => {
		after = await readPipeline(service, pipeline);
		return names.variable in variablesOf(after);
	});
	facts.settings = { before, after, reply };
	for (const [name, value] of Object.entries(others)) {
		const now = variablesOf(after)[name];
		if (now !== value && value !== null)
			facts.damaged.set(name, { before: value, after: now });
	}
	const variable = variablesOf(after)[names.variable];
	return variable === VALUE
		? holds("the same text")
		: differs(variable === undefined ? "it is not shown" : "another text");
}

const settingsOf = ({ facts }: Context) => facts.settings;

const OTHER_SETTINGS = [
	"python_version",
	"requirements",
	"repository",
	"workers",
	"priority",
];

/** Compares the other settings. What the service changed is sent once more as it was. */
async function keptSettings(context: Context): Promise<Outcome> {
	const settings = settingsOf(context);
	if (settings === undefined) return untried("no settings were written");
	const changed = OTHER_SETTINGS.filter(
		(field) => fieldOf(settings.before, field) !== fieldOf(settings.after, field),
	);
	if (changed.length === 0) return holds("the others are as before");
	const valuesBefore = changed
		.map((field) => [field, fieldOf(settings.before, field)])
		.filter(([, value]) => value !== null);
	const { pipeline } = context.facts.target;
	const again = await context.service.ask("updateSettings", {
		pipeline_name: pipeline,
		environment: linesOf({}, variablesOf(settings.after)),
		...Object.fromEntries(valuesBefore),
	});
	const end =
		again.status < 300
			? "they were sent once more as they were"
			: "they could not be sent once more";
	return differs(`changed: ${changed.join(", ")}; ${end}`);
}

async function removeVariable(context: Context): Promise<Outcome> {
	const { facts, service } = context;
	const { pipeline, names } = facts.target;
	if (facts.settings === undefined) return untried("no settings were written");
	const current: Variables = variablesOf(await readPipeline(service, pipeline));
	const { status } = await sendVariables(
		service,
		pipeline,
		linesOf({}, facts.restored(current)),
	);
	if (status >= 300) return differs(String(status));
	const millis = await facts.until(async () => {
		const now = variablesOf(await readPipeline(service, pipeline));
		return !(names.variable in now);
	});
	return seenAfter(millis, facts);
}

const settings = {
	"variable-echo": row({
		source: "assumed",
		sentence:
			"A variable that is sent as a line NAME=VALUE is shown with the same value.",
		otherwise: "The read after the write fails and names the variable.",
		matters: true,
		probe: addVariable,
	}),
	"other-variables-kept": row({
		source: "assumed",
		sentence: "The variables that a settings request repeats keep their values.",
		otherwise: "The read after the write fails and names the variables.",
		matters: true,
		needs: ["variable-echo"],
		probe: async ({ facts }) => {
			if (facts.settings === undefined) return untried("no settings were written");
			const count = Object.keys(variablesOf(facts.settings.before)).length;
			const { size } = facts.damaged;
			if (size > 0) return differs(`${size} of ${count} changed`);
			return count === 0
				? untried("the pipeline has no other variables")
				: holds(`${count} as before`);
		},
	}),
	"settings-keep-rest": row({
		source: "assumed",
		sentence: "A settings request keeps the settings that it leaves out.",
		otherwise:
			"The provider compares the settings that are not declared before and after, and fails if one was cleared.",
		matters: true,
		probe: keptSettings,
	}),
	"settings-keep-paused": row({
		source: "assumed",
		sentence: "A settings request leaves a paused pipeline paused.",
		otherwise: "A deployment of settings may start the jobs of a paused pipeline.",
		matters: true,
		probe: async (context) => {
			const reply = settingsOf(context)?.reply;
			const status = fieldOf(fieldOf(reply?.json, "pipeline"), "status");
			if (typeof status !== "string") return untried("the response shows no status");
			return status === "PAUSED" ? holds("PAUSED") : differs(instead(status));
		},
	}),
	"variable-removed": row({
		source: "assumed",
		sentence: "A variable that a settings request leaves out is removed.",
		otherwise:
			"A variable that leaves the program stays in the pipeline, and the read after the write fails.",
		matters: true,
		needs: ["variable-echo"],
		probe: removeVariable,
	}),
	"upload-answers": row({
		source: "documented",
		sentence: "An upload answers with the id of the file.",
		otherwise: "The upload fails, and the file stays without a reference.",
		matters: true,
		probe: async ({ facts, service }) => {
			const { file } = facts.target.names;
			facts.uploaded = file;
			const answer = await service.ask(
				"uploadFile",
				{},
				{ file: { name: file, content: "verify\n" } },
			);
			if (answer.status >= 300) {
				facts.uploaded = undefined;
				return differs(String(answer.status));
			}
			const id = fieldOf(answer.json, "id");
			return Number.isInteger(id) || typeof id === "string"
				? holds("with its id")
				: differs(`the id is ${typeOf(id)}`);
		},
	}),
} satisfies Record<string, Row>;

/** What only a write shows, on objects of the command's own. */
export const writingRows = { ...schedules, ...settings };
