import { Draftbook } from "./drafts";
import type { Place } from "./place";
import type { Program } from "./program";
import { type Act, type Move, NAMES, type Scenario } from "./scenario";
import { type StackName, Story } from "./story";

const mayPause = (stack: StackName) => (pipeline: string) => (pipeline === "p3") === (stack === "two");
const other = (stack: StackName): StackName => (stack === "one" ? "two" : "one");

/** Plays a scenario; throws with everything that happened where the provider broke its word. */
export async function play(place: Place, scenario: Scenario): Promise<void> {
	const story = new Story(place, { ...scenario, seed: String(scenario.seed) });
	const bookOf = (stack: StackName) => new Draftbook((name) => !NAMES[other(stack)].includes(name), mayPause(stack));
	const books = { one: bookOf("one"), two: bookOf("two") };
	try {
		for (const move of scenario.moves) {
			for (const act of move.acts) perform(story, act, [books.one.program(), books.two.program()].flat());
			// What somebody did a moment ago nobody can see where reads lag behind.
			if (move.acts.length > 0) story.settle();
			for (const edit of move.edits) books[move.stack].apply(edit);
			const program = books[move.stack].program();
			if (!(await story.command(commandOf(story, move, program)))) return;
			if (move.run === "destroy") for (let left = program.length; left > 0; left--) books[move.stack].apply({ edit: "remove", at: 0 });
			if (move.settled) story.settle();
		}
	} catch (error) {
		const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
		throw new Error(`${why}\n${story.journal.join("\n")}`);
	} finally {
		story.close();
	}
}

function commandOf(story: Story, move: Move, program: Program) {
	const { stack, run, parallel, refresh, adoptEqual, replace, faults } = move;
	const target = replace === undefined ? undefined : program[replace % Math.max(1, program.length)];
	// Consent for a run is never given where the other stack has what it could take.
	const free = program.every(({ args }) => !NAMES[other(stack)].includes(String(args.scheduleName)));
	const known = target !== undefined && story.idOf(stack, target.name) !== undefined;
	return { stack, run, parallel, refresh, faults, program, adoptEqual: adoptEqual && free, replace: known ? [target.name] : [] };
}

/** A colleague leaves alone what a program declares: that would be drift, which has tests of its own. */
function perform(story: Story, act: Act, declared: Program): void {
	const { team, books } = story;
	const on = (pipeline: string, key: string) => declared.some(({ args }) => args.pipelineName === pipeline && args[key] !== undefined);
	if (act.act === "make") {
		const made = team.createSchedule({ schedule_name: act.schedule, pipeline_name: act.pipeline, cron_expression: act.cron });
		books.theirSchedule(made);
	}
	if (act.act === "unmake") {
		const theirs = team.schedules().filter(({ id }) => books.isTheirs(id));
		const gone = theirs[act.at % Math.max(1, theirs.length)];
		if (gone === undefined) return;
		team.deleteSchedule(gone.id);
		books.forgetSchedule(gone.id);
	}
	if (act.act === "set") {
		if (act.python !== undefined && !on(act.pipeline, "pythonVersion")) {
			team.setSettings({ pipeline_name: act.pipeline, python_version: act.python });
			books.theirSetting(act.pipeline, "pythonVersion");
		}
		if (act.priority !== undefined && !on(act.pipeline, "priority")) {
			team.setSettings({ pipeline_name: act.pipeline, priority: act.priority });
			books.theirSetting(act.pipeline, "priority");
		}
	}
	if (act.act === "variable" && !on(act.pipeline, "environment")) {
		team.setVariable(act.pipeline, act.name, act.value);
		books.theirSetting(act.pipeline, `$${act.name}`);
	}
	if (act.act === "pause" && !on(act.pipeline, "paused")) {
		if (act.paused) team.pause(act.pipeline);
		else team.resume(act.pipeline);
		books.theirSetting(act.pipeline, "paused");
	}
	story.note(`colleague: ${JSON.stringify(act)}`);
}
