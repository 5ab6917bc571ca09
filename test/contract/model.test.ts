import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPlace, type Place } from "../../bench/faults/rows/model/place";
import { play } from "../../bench/faults/rows/model/play";
import type { Resource } from "../../bench/faults/rows/model/program";
import { scenarios, stormy } from "../../bench/faults/rows/model/scenario";
import { type Setting, Story } from "../../bench/faults/rows/model/story";

let place: Place;
beforeAll(async () => {
	place = await openPlace();
});
afterAll(() => place.close());

const CRON = "0 3 1 7 *";
const schedule = (name: string, scheduleName: string, pipelineName: string, more: object = {}): Resource => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName, pipelineName, cronExpression: CRON },
	...more,
});
const settings = (name: string, pipelineName: string, args: object, more: object = {}): Resource => ({
	kind: "PipelineSettings",
	name,
	args: { pipelineName, ...args },
	...more,
});
/** A list whose resources are keyed by their place in it. */
const list = (...rows: readonly (readonly [string, string])[]): Resource[] =>
	rows.map(([name, pipeline], at) => schedule(`row-${at}`, name, pipeline));
const names = (story: Story) =>
	story.team
		.schedules()
		.map(({ name }) => name)
		.sort();

/** A mutation run repeats everything for every mutant, so that it draws less, and wants no smallest example. */
const drawsLess = "MODEL_SEQUENCES" in process.env;

/** Tells the story in several orders of events; where it fails, everything that happened is shown. */
async function orders(
	tell: (story: Story, parallel: number) => Promise<void>,
	setting: Partial<Setting> = {},
): Promise<void> {
	for (const parallel of [1, 8]) {
		for (const seed of drawsLess ? ["a"] : ["a", "b", "c"]) {
			const story = new Story(place, { ...setting, seed });
			try {
				await tell(story, parallel);
			} catch (error) {
				throw new Error(
					`${error instanceof Error ? error.message : String(error)}\n${story.journal.join("\n")}`,
				);
			} finally {
				story.close();
			}
		}
	}
}

describe("pipelines that share a dataset", () => {
	const pipeline = (name: string, ...datasets: string[]): Resource => ({
		kind: "Pipeline",
		name,
		args: { datasets, triggers: 1, start: false, onDestroy: "pause" },
	});

	it.each(["0", "1", "2", "3", "4", "5"])(
		"are not taken for each other if a trigger fails while the other one is made, seed %s",
		async (seed) => {
			const story = new Story(place, { seed, staleMillis: 100, lateMillis: 100 });
			await story.command({
				program: [pipeline("two", "d.e.one", "d.e.two"), pipeline("one", "d.e.one")],
				parallel: 2,
				faults: [{ times: 1, skip: 1, endpoint: "triggerPipeline", kind: "status", status: 503 }],
			});
			story.close();
		},
	);
});

describe("resources that exchange what they declare", () => {
	it("keep all schedules when a row comes in front of an index-keyed list", () =>
		orders(async (story, parallel) => {
			const rows = [
				["a", "p1"],
				["b", "p2"],
				["c", "p3"],
			] as const;
			await story.command({ program: list(...rows), parallel });
			expect(await story.command({ program: list(["new", "p1"], ...rows), parallel })).toBe(true);
			expect(names(story)).toEqual(["a", "b", "c", "new"]);
		}));

	it("keep both schedules when two that depend on each other swap", () =>
		orders(async (story, parallel) => {
			const dependsOn = ["A"];
			await story.command({
				program: [schedule("A", "a", "p1"), schedule("B", "b", "p2", { dependsOn })],
				parallel,
			});
			await story.command({
				program: [schedule("A", "b", "p2"), schedule("B", "a", "p1", { dependsOn })],
				parallel,
			});
			expect(names(story)).toEqual(["a", "b"]);
		}));

	it.each(["keep", "reset", "restore"])(
		"keep both pipelines' settings when two swap with onDestroy %s",
		(onDestroy) =>
			orders(async (story, parallel) => {
				const storage = { s3: { anon: true } };
				const [first, second] = [
					{ onDestroy: "keep", storage, pythonVersion: "3.11" },
					{ onDestroy, storage },
				];
				await story.command({ program: [settings("A", "p1", first), settings("B", "p2", second)], parallel });
				await story.command({ program: [settings("A", "p2", second), settings("B", "p1", first)], parallel });
			}),
	);

	it.each([{ staleMillis: 12_000 }, { lateMillis: 12_000 }])(
		"lose no settings where the service lags: %o",
		(setting) =>
			orders(async (story, parallel) => {
				const kept = { onDestroy: "restore", storage: { s3: { anon: false } } };
				await story.command({ program: [settings("A", "p1", kept)], parallel });
				await story.command({ program: [settings("A", "p2", kept), settings("B", "p1", kept)], parallel });
			}, setting),
	);

	it("may declare the environment where another one of the program had its storage", () =>
		orders(async (story, parallel) => {
			const stored = { onDestroy: "keep", storage: { s3: { anon: true } } };
			await story.command({ program: [settings("A", "p1", stored)], parallel });
			const program = [
				settings("B", "p1", { onDestroy: "keep", environment: { A: "1" } }),
				settings("A", "p2", stored),
			];
			expect(await story.command({ program, parallel })).toBe(true);
		}));

	it("get each other's names round a circle, also with one worker at first", () =>
		orders(async (story, parallel) => {
			const circle = (...given: readonly string[]) =>
				given.map((name, at) => schedule(`row-${at}`, name, "p1"));
			await story.command({ program: circle("a", "b", "c"), parallel });
			expect(await story.command({ program: circle("c", "a", "b"), parallel })).toBe(true);
		}));

	it("never share a schedule: what a new resource took with consent is replaced for the old one", () =>
		orders(async (story, parallel) => {
			await story.command({ program: [schedule("A", "a", "p1")], parallel });
			const program = [schedule("B", "a", "p1"), schedule("A", "b", "p1", { dependsOn: ["B"] })];
			expect(await story.command({ program, parallel })).toBe(true);
			await story.command({ program: [schedule("A", "b", "p1", { protect: true })], parallel });
			expect(names(story)).toEqual(["b"]);
		}));
});

describe("what belongs to others", () => {
	it("is refused to a second stack with the same name, and outlives its destroy", () =>
		orders(async (story, parallel) => {
			const program = [schedule("A", "a", "p1")];
			await story.command({ program, parallel });
			expect(await story.command({ stack: "two", program, parallel })).toBe(false);
			await story.command({ stack: "two", program, run: "destroy", parallel });
			expect(await story.command({ program, parallel })).toBe(true);
			expect(names(story)).toEqual(["a"]);
		}));

	it("is not deleted where a create's reply names it", () =>
		orders(async (story, parallel) => {
			const theirs = story.team.createSchedule({
				schedule_name: "theirs",
				pipeline_name: "p2",
				cron_expression: CRON,
			});
			story.schedules.note(theirs);
			const faults = [
				{ kind: "rewrite" as const, endpoint: "createSchedule" as const, set: { "schedule.id": theirs.id } },
			];
			expect(await story.command({ program: [schedule("A", "a", "p1")], faults, parallel })).toBe(true);
			expect(names(story)).toEqual(["a", "theirs"]);
		}));

	it("keeps its name when a schedule is renamed onto it", () =>
		orders(async (story, parallel) => {
			await story.command({ program: [schedule("A", "a", "p1")], parallel });
			story.schedules.note(
				story.team.createSchedule({ schedule_name: "b", pipeline_name: "p1", cron_expression: CRON }),
			);
			expect(await story.command({ program: [schedule("A", "b", "p1")], parallel })).toBe(false);
			expect(names(story)).toEqual(["a", "b"]);
		}));

	it("is seen to be gone, though a list still shows it", () =>
		orders(async (story, parallel) => {
			const theirs = story.team.createSchedule({
				schedule_name: "a",
				pipeline_name: "p1",
				cron_expression: CRON,
			});
			const program = [schedule("A", "a", "p1")];
			const ended = place.server.faults.add({ kind: "stale-list", ms: 10_000 });
			story.team.deleteSchedule(theirs.id);
			try {
				const { failures } = await story.try(story.stacks.one, "up", program, { parallel });
				expect(failures).toEqual([]);
			} finally {
				ended();
			}
			expect(names(story)).toEqual(["a"]);
		}));

	it("is told when two deployments at once make the same names, then or at the next refresh", () =>
		orders(async (story, parallel) => {
			const program = list(["a", "p1"], ["b", "p2"], ["c", "p3"]);
			const both = [story.stacks.one, story.stacks.two] as const;
			const ran = await Promise.all(both.map((stack) => stack.run("up", program, { parallel })));
			const doubled = names(story).filter((name, at, all) => all[at + 1] === name);
			const later = await story.stacks.one.run("drift", program, { parallel });
			const told = [...ran.flatMap(({ failures }) => failures), ...later.notices].join("\n");
			for (const name of doubled) expect(told).toContain(`"${name}"`);
		}));
});

describe("restore", () => {
	const ours = { onDestroy: "restore", pythonVersion: "3.12", adopt: true };

	it("puts back what others had, also after the resource was replaced", () =>
		orders(async (story, parallel) => {
			story.team.setSettings({ pipeline_name: "p1", python_version: "3.10" });
			story.settings.note("p1", "pythonVersion");
			const program = [settings("A", "p1", ours, { deleteBeforeReplace: true })];
			await story.command({ program, parallel });
			await story.command({ program, replace: ["A"], parallel });
			expect(await story.command({ program: [], parallel })).toBe(true);
			expect(story.team.pipelines().find(({ name }) => name === "p1")?.settings.pythonVersion).toBe("3.10");
		}));

	it.each([true, false])(
		"puts back what others had after a rename, or says that it forgot (alias: %s)",
		(alias) =>
			orders(async (story, parallel) => {
				story.team.setSettings({ pipeline_name: "p1", python_version: "3.10" });
				story.settings.note("p1", "pythonVersion");
				await story.command({ program: [settings("A", "p1", ours)], parallel });
				await story.command({
					program: [settings("B", "p1", ours, alias ? { aliases: ["A"] } : {})],
					parallel,
				});
				expect(await story.command({ program: [], parallel })).toBe(true);
			}),
	);

	it("keeps a variable that a colleague added between storage and environment", () =>
		orders(async (story, parallel) => {
			const storage = { s3: { anon: true } };
			await story.command({ program: [settings("A", "p1", { onDestroy: "restore", storage })], parallel });
			story.team.setVariable("p1", "THEIRS", "x");
			story.settings.note("p1", "$THEIRS");
			const environment = { OURS: "1" };
			await story.command({
				program: [settings("A", "p1", { onDestroy: "restore", storage, environment, adopt: true })],
				parallel,
			});
			expect(await story.command({ program: [], run: "destroy", parallel })).toBe(true);
			expect(story.team.pipelines().find(({ name }) => name === "p1")?.settings.environment).toEqual({
				THEIRS: "x",
			});
		}));

	it("is refused where a line break could not be put back", () =>
		orders(async (story, parallel) => {
			story.team.setVariable("p1", "THEIRS", "two\nlines");
			story.settings.note("p1", "$THEIRS");
			const program = [settings("A", "p1", { onDestroy: "restore", environment: { A: "1" }, adopt: true })];
			const { failures, writes } = await story.try(story.stacks.one, "up", program, { parallel });
			expect(failures.join()).toContain("line break");
			expect(writes).toBe(0);
		}));

	it("takes the storage variable away with the storage", () =>
		orders(async (story, parallel) => {
			const both = { onDestroy: "keep", pythonVersion: "3.12", storage: { s3: { anon: true } } };
			await story.command({ program: [settings("A", "p1", both)], parallel });
			await story.command({
				program: [settings("A", "p1", { onDestroy: "keep", pythonVersion: "3.12" })],
				parallel,
			});
			expect(story.team.pipelines().find(({ name }) => name === "p1")?.settings.environment).toEqual({});
		}));

	it("and reset let the same program be deployed again", () =>
		orders(async (story, parallel) => {
			const program = [settings("A", "p1", { onDestroy: "reset", workers: 2 })];
			await story.command({ program, parallel });
			await story.command({ program: [], run: "destroy", parallel });
			expect(await story.command({ program, parallel })).toBe(true);
		}));

	it("leaves a pipeline paused that a schedule declares paused", () =>
		orders(async (story, parallel) => {
			const paused = { args: { scheduleName: "a", pipelineName: "p1", cronExpression: CRON, paused: true } };
			const program = [
				settings("S", "p1", { onDestroy: "restore", paused: true }),
				schedule("A", "a", "p1", paused),
			];
			await story.command({ program, parallel });
			await story.command({ program: program.slice(1), parallel });
		}));
});

describe("a service that lags", () => {
	const lag = { staleMillis: 10_000 };

	it("never gives back the schedule that a replacement has just deleted", () =>
		orders(async (story, parallel) => {
			const program = [schedule("A", "a", "p1", { deleteBeforeReplace: true })];
			await story.command({ program, parallel });
			await story.command({ program, replace: ["A"], parallel });
			expect(names(story)).toEqual(["a"]);
		}, lag));

	it("gets a change that is taken back at once", () =>
		orders(async (story, parallel) => {
			const at = (cronExpression: string) =>
				schedule("A", "a", "p1", { args: { scheduleName: "a", pipelineName: "p1", cronExpression } });
			for (const cron of [CRON, "30 4 2 7 *", CRON]) await story.command({ program: [at(cron)], parallel });
		}, lag));

	it("has one schedule after up, refresh and up", () =>
		orders(async (story, parallel) => {
			const program = [schedule("A", "a", "p1")];
			await story.command({ program, parallel });
			await story.command({ program, run: "refresh", parallel });
			await story.command({ program, parallel });
			expect(names(story)).toEqual(["a"]);
		}, lag));

	it("has one schedule after a reply that was lost", () =>
		orders(
			async (story, parallel) => {
				const faults = [
					{
						kind: "status" as const,
						status: 500,
						afterWork: true,
						endpoint: "createSchedule" as const,
						times: 1,
					},
				];
				await story.command({ program: [schedule("A", "a", "p1")], faults, parallel });
				expect(names(story)).toEqual(["a"]);
			},
			{ staleMillis: 15_000 },
		));
});

describe("a program that contradicts itself is refused at preview, with both names", () => {
	const pausedBy = (name: string, scheduleName: string, paused: boolean) =>
		schedule(name, scheduleName, "p1", {
			args: { scheduleName, pipelineName: "p1", cronExpression: CRON, paused },
		});
	it.each([
		["paused and not paused", [pausedBy("A", "a", true), pausedBy("B", "b", false)]],
		[
			"two settings of one pipeline",
			[settings("A", "p1", { pythonVersion: "3.11" }), settings("B", "p1", { pythonVersion: "3.12" })],
		],
		["two schedules of one name", [schedule("A", "a", "p1"), schedule("B", "a", "p2")]],
	])("%s", (_, program) =>
		orders(async (story, parallel) => {
			const { failures, writes } = await story.try(story.stacks.one, "preview", program, { parallel });
			expect(failures.join()).toMatch(/"A".*"B"|"B".*"A"/s);
			expect(writes).toBe(0);
		}),
	);

	it("and a schedule that declares no pause resumes nothing", () =>
		orders(async (story, parallel) => {
			story.team.pause("p1");
			story.settings.note("p1", "paused");
			expect(await story.command({ program: [schedule("A", "a", "p1")], parallel })).toBe(true);
		}));
});

describe("random programs, orders, lags and failures", () => {
	it("leave the service as declared, and what is not ours as it was", { timeout: 900_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(scenarios, (scenario) => play(place, scenario)),
			// Always the same ones: a gate must answer alike. Row 2 of the fault bench draws new ones.
			{ seed: 1, numRuns: Number(process.env.MODEL_SEQUENCES ?? 60), endOnFailure: drawsLess },
		);
	});

	it("also where the first writes of each command fail", { timeout: 900_000 }, async () => {
		await fc.assert(
			fc.asyncProperty(scenarios, (scenario) => play(place, stormy(scenario))),
			{ seed: 1, numRuns: drawsLess ? 5 : 50, endOnFailure: drawsLess },
		);
	});
});
