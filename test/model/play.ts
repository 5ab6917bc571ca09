import { Draftbook } from "./drafts";
import type { Place } from "./place";
import type { Act, Move, Scenario } from "./scenario";
import { declaredBy } from "./settings-book";
import { folded, NAMES, plainName } from "./spelling";
import { entryOf, type Program, type Resource, type RunOptions } from "./stack";
import { type StackName, Story } from "./story";

const mayPause = (stack: StackName) => (pipeline: string) =>
	(pipeline === "p3") === (stack === "two");
const other = (stack: StackName): StackName => (stack === "one" ? "two" : "one");

/** What a sequence tells beside that nothing was broken. */
export type Played = Pick<Story, "ups" | "tolerated">;

/** Plays a scenario; throws with everything that happened where the provider broke its word. */
export async function play(place: Place, scenario: Scenario): Promise<Played> {
	const story = new Story(place, scenario);
	const bookOf = (stack: StackName) =>
		new Draftbook(
			(name) => !NAMES[other(stack)].includes(plainName(name)),
			mayPause(stack),
		);
	const books = { one: bookOf("one"), two: bookOf("two") };
	// A list of which nothing can be read is refused as a whole: somebody's readable row stands beside the others.
	if (
		scenario.moves.some(({ faults }) =>
			faults.some(({ endpoint }) => endpoint === "listSchedules"),
		)
	) {
		story.schedules.note(
			story.team.createSchedule({
				schedule_name: "z",
				pipeline_name: "p3",
				cron_expression: "15 5 3 7 *",
			}),
		);
	}
	try {
		for (const move of scenario.moves) {
			const book = books[move.stack];
			const declared = [
				books.one.program(),
				books.two.program(),
				...Object.values(story.deployed),
			].flat();
			for (const act of move.acts) {
				if (act.act === "drift") drift(story, move, act);
				else perform(story, act, declared, scenario);
			}
			// What somebody did a moment ago nobody can see where reads lag behind.
			if (move.acts.length > 0) await story.settle();
			book.edit(move.edits);
			if (!(await story.command(commandOf(story, move, book.program())))) break;
			if (move.run === "destroy") book.clear();
			if (move.settled) await story.settle();
		}
		return story;
	} catch (error) {
		throw new Error(`${String(error)}\n${story.journal.join("\n")}`);
	} finally {
		story.close();
	}
}

function commandOf(story: Story, move: Move, program: Program) {
	const { stack, run, parallel, refresh, adoptEqual, replace, faults, acts, partial } =
		move;
	const target =
		replace === undefined ? undefined : program[replace % Math.max(1, program.length)];
	// Consent for a run is never given where the other stack has what it could take.
	const free = program.every(
		({ args }) => !NAMES[other(stack)].includes(plainName(String(args.scheduleName))),
	);
	const known =
		target !== undefined && entryOf(story.stacks[stack], target) !== undefined;
	return {
		stack,
		run,
		faults,
		program,
		parallel,
		refresh:
			refresh ||
			acts.some(({ act }) => act === "drift") ||
			mustHear(story, stack, program),
		adoptEqual: adoptEqual && free,
		replace: known ? [target.name] : [],
		partial: partial && partOf(partial, [...program, ...story.stacks[stack].entries]),
	};
}

/** A pipeline that was made again is heard of by a refresh; without one only by an update of its settings. */
function mustHear(
	{ settings, deployed }: Story,
	stack: StackName,
	program: Program,
): boolean {
	const textOf = (resources: Program, pipeline: string) =>
		JSON.stringify(
			resources
				.filter(({ args }) => args.pipelineName === pipeline)
				.map(({ args }) => args),
		);
	const pauses = program.some(({ args }) => args.paused !== undefined);
	return [...settings.remade].some(
		(pipeline) =>
			pauses || textOf(program, pipeline) === textOf(deployed[stack], pipeline),
	);
}

function remake({ team, settings, journal }: Story, pipeline: string): void {
	team.remakePipeline(pipeline);
	settings.remade.add(pipeline);
	journal.push(
		`colleague deletes pipeline ${pipeline} and makes another one of its name`,
	);
}

function partOf(
	{ option, at }: NonNullable<Move["partial"]>,
	resources: readonly { readonly name: string }[],
): Pick<RunOptions, "exclude" | "target"> | undefined {
	const names = [...new Set(resources.map(({ name }) => name))];
	const chosen = [
		...new Set(at.flatMap((place) => names[place % Math.max(1, names.length)] ?? [])),
	];
	return chosen.length > 0 ? { [option]: chosen } : undefined;
}

function drift(
	story: Story,
	{ stack, run }: Move,
	{ at, deletes }: Extract<Act, { act: "drift" }>,
): void {
	const held = story.stacks[stack].entries.map((entry) => entry.id);
	const ours = story.team.schedules().filter(({ id }) => held.includes(String(id)));
	const id = ours[at % Math.max(1, ours.length)]?.id;
	if (id === undefined || run !== "up") return;
	if (deletes) story.team.deleteSchedule(id);
	else story.team.updateSchedule({ schedule_id: id, cron_expression: "15 5 3 7 *" });
	story.journal.push(
		`colleague ${deletes ? "deletes" : "changes"} schedule ${id} of stack ${stack}`,
	);
}

/** What a program declares a colleague changes only as drift. */
function perform(
	story: Story,
	act: Exclude<Act, { act: "drift" }>,
	declared: Program,
	{ fold }: Pick<Scenario, "fold">,
): void {
	const { team, schedules, pipelines } = story;
	if (act.act === "remake") {
		remake(story, act.pipeline);
		return;
	}
	const set = (pipeline: string, key: string, change: () => void) => {
		const isDeclared = (one: Resource) =>
			one.args.pipelineName === pipeline && Object.hasOwn(declaredBy(one), key);
		if (!declared.some(isDeclared)) change();
	};
	switch (act.act) {
		case "make": {
			const { act: _, ...made } = act;
			const schedule_name = folded(fold, made.schedule_name);
			schedules.note(team.createSchedule({ ...made, schedule_name }));
			break;
		}
		case "unmake": {
			const theirs = team.schedules().filter(({ id }) => schedules.theirs.has(id));
			const gone = theirs[act.at % Math.max(1, theirs.length)];
			if (gone === undefined) return;
			team.deleteSchedule(gone.id);
			schedules.theirs.delete(gone.id);
			break;
		}
		case "set": {
			const { pipeline_name, python_version, priority, requirements, workers } = act;
			if (requirements)
				set(pipeline_name, "requirements", () =>
					team.setSettings({ pipeline_name, requirements }),
				);
			if (workers)
				set(pipeline_name, "workers", () =>
					team.setSettings({ pipeline_name, workers }),
				);
			if (python_version)
				set(pipeline_name, "pythonVersion", () =>
					team.setSettings({ pipeline_name, python_version }),
				);
			if (priority)
				set(pipeline_name, "priority", () =>
					team.setSettings({ pipeline_name, priority }),
				);
			break;
		}
		case "trigger":
			pipelines.note(team.trigger(act.datasets, act.paused));
			break;
		case "variable":
			set(act.pipeline, `$${act.name}`, () =>
				team.setVariable(act.pipeline, act.name, act.value),
			);
			break;
		case "pause":
			set(act.pipeline, "paused", () =>
				act.paused ? team.pause(act.pipeline) : team.resume(act.pipeline),
			);
	}
	story.journal.push(`colleague: ${JSON.stringify(act)}`);
}
