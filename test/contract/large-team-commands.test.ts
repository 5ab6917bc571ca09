import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LocalServer } from "../../src/server";
import {
	forecastReportSchema,
	type ScheduleForecast,
} from "../../src/team/forecast-report";
import { runCli } from "../helpers/cli";
import { entry, stateText } from "../helpers/drift-team";
import { operatorTeam } from "../helpers/operator-team";
import { apiOf, seededServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const NOW = Date.now();

/** The built command against a team of this size. */
async function commandsFor(size: Parameters<typeof operatorTeam>[1]) {
	const { name: _, ...records } = operatorTeam(NOW, size);
	const server: LocalServer = await seededServer(records, { faults: true });
	const folder = testFolder("large-team-");
	const env: NodeJS.ProcessEnv = { ...process.env, ...server.environment };
	const cli = (...args: string[]) => runCli({ folder, env }, args);
	return { server, cli, folder, env };
}

describe("the commands in a large team", { timeout: 120_000 }, () => {
	it("pause of a misspelled pipeline names the nearest of all pipelines, and no run of a schedule", async () => {
		const { cli } = await commandsFor({ schedules: 60, runsOfEach: 40 });
		const { code, stderr } = await cli("pause", "pipelin-41");
		expect(code).toBe(1);
		expect(stderr).toMatch(
			/^error: Team "vision" has no pipeline "pipelin-41"\. Did you mean /,
		);
		expect(stderr).toMatch(/ Did you mean "pipeline-41"\? It has .* and 50 more\.\n$/);
		expect(stderr).not.toContain("run-");
	});

	it("pipelines lists pipelines, and their runs only with --runs", async () => {
		const { cli } = await commandsFor({ schedules: 30, runsOfEach: 5 });
		const { stdout, stderr } = await cli("pipelines", "--json", "--limit", "100");
		const names = JSON.parse(stdout).map(({ name }: { name: string }) => name);
		expect([names.length, stderr]).toEqual([30, ""]);
		expect(names.filter((name: string) => name.startsWith("run-"))).toEqual([]);
		const runs = JSON.parse(
			(await cli("pipelines", "--runs", "--json", "--limit", "100")).stdout,
		);
		expect(runs).toHaveLength(100);
		expect(runs[0]).toMatchObject({
			name: expect.stringMatching(/^run-/),
			schedule: "schedule-29",
		});
		expect((await cli("pipelines")).stderr).toMatch(
			/^These are the newest 20 of 30 pipelines; --limit/,
		);
	});

	it("schedules shows pipeline, pause and last outcome, and filters by text", async () => {
		const { cli, server } = await commandsFor({
			schedules: 12,
			pipelines: 6,
			runsOfEach: 1,
		});
		await apiOf(server).post("/pipeline/pause", { name: "pipeline-3" });
		const { stdout } = await cli("schedules", "--search", "SCHEDULE-3");
		const [head = "", row = "", ...more] = stdout.trimEnd().split("\n");
		expect(head).toMatch(/PIPELINE +PAUSED +LAST RUN/);
		expect(row).toMatch(/schedule-3 .*pipeline-3 +yes +COMPLETED, \d{4}-/);
		expect(more).toEqual([]);
		const paused = JSON.parse((await cli("schedules", "--paused", "--json")).stdout);
		expect(paused.map(({ name }: { name: string }) => name)).toEqual([
			"schedule-3",
			"schedule-9",
		]);
		expect(paused[0]).toMatchObject({ pipeline: { name: "pipeline-3", paused: true } });
		const ofPipeline = JSON.parse(
			(await cli("schedules", "--pipeline", "pipeline-4", "--json")).stdout,
		);
		expect(ofPipeline.map(({ name }: { name: string }) => name)).toEqual([
			"schedule-4",
			"schedule-10",
		]);
		expect((await cli("schedules", "--search", "nowhere")).stdout).toBe(
			"No schedules.\n",
		);
	});

	it("jobs shows pipeline, schedule and length, and filters by text, time and person", async () => {
		const { cli } = await commandsFor({ schedules: 4, runsOfEach: 3, jobs: 200 });
		const table = (await cli("jobs", "--search", "final", "--limit", "1")).stdout;
		expect(table).toMatch(/LENGTH +PIPELINE +SCHEDULE/);
		expect(table).toMatch(/final +COMPLETE .* 5 min +run-\d+ +schedule-3/);
		const named = JSON.parse(
			(await cli("jobs", "--search", "JOB-19", "--json")).stdout,
		);
		expect(named.map(({ name }: { name: string }) => name)).toContain("job-199.py");
		expect(named).toHaveLength(11);
		const recent = JSON.parse(
			(
				await cli(
					"jobs",
					"--since",
					"30m",
					"--search",
					"job-",
					"--json",
					"--limit",
					"99",
				)
			).stdout,
		);
		expect(recent.length).toBeGreaterThan(28);
		expect(recent.length).toBeLessThan(31);
		expect(JSON.parse((await cli("jobs", "--by", "nobody", "--json")).stdout)).toEqual(
			[],
		);
		expect(
			JSON.parse(
				(await cli("jobs", "--by", "Data-Eng", "--json", "--limit", "5")).stdout,
			),
		).toHaveLength(5);
		expect((await cli("jobs", "--since", "soon")).stderr).toMatch(
			/Write 90m, 24h or 7d, or an instant/,
		);
	});

	it("one long name does not widen every row of a list", async () => {
		const { cli, server } = await commandsFor({ schedules: 2 });
		const schedule_name = `long ${"x".repeat(150)}`;
		const made = {
			schedule_name,
			pipeline_name: "pipeline-0",
			cron_expression: "@daily",
		};
		await apiOf(server).post("/pipeline/create-schedule", made);
		const { stdout } = await cli("schedules");
		expect(stdout).toMatch(/long x{20,}…/);
		for (const line of stdout.split("\n")) expect(line.length).toBeLessThan(220);
		expect(JSON.parse((await cli("schedules", "--json")).stdout)[2].name).toBe(
			schedule_name,
		);
	});

	it("export takes the pipelines of the list, and asks for schedules side by side", async () => {
		const { cli, server, folder } = await commandsFor({
			schedules: 100,
			variablesOfEach: 1,
		});
		server.faults.add({
			endpoint: "getSchedule",
			kind: "delay",
			ms: 200,
			times: 1_000,
		});
		const { code, stderr } = await cli("export", "--out", join(folder, "team"));
		expect(code, stderr).toBe(0);
		expect(stderr).toContain("100 schedules and the settings of 100 pipelines");
		expect(server.requests.count()).toBe(102);
		expect(server.requests.maxInFlight).toBeGreaterThan(16);
	});

	it.skipIf(process.platform === "win32")(
		"forecast --live asks only for schedules that the project's stack does not manage",
		async () => {
			const { cli, server, folder, env } = await commandsFor({ schedules: 120 });
			await apiOf(server).post("/pipeline/pause", { name: "pipeline-7" });
			const forecast = async () => {
				server.requests.clear();
				const { code, stdout, stderr } = await cli("forecast", "--live", "--json");
				expect(code, stderr).toBe(0);
				const asked = server.requests.count({ endpoint: "getSchedule" });
				const { schedules } = forecastReportSchema.parse(JSON.parse(stdout));
				return { asked, all: server.requests.count(), schedules };
			};
			const without = await forecast();
			expect([without.asked, without.all]).toEqual([120, 124]);

			const managed = Array.from({ length: 110 }, (_, index) =>
				entry("PipelineSchedule", `s${index}`, String(index + 1), {
					scheduleName: `schedule-${index}`,
					pipelineName: `pipeline-${index}`,
					teamName: index < 105 ? server.teamName : "another",
				}),
			);
			const state = join(folder, "state.json");
			writeFileSync(state, stateText(...managed));
			writeFileSync(join(folder, "Pulumi.yaml"), "name: shop\nruntime: yaml\n");
			const script = `#!/bin/sh\ncat "${state}"\n`;
			writeFileSync(join(folder, "pulumi"), script, { mode: 0o755 });
			env.PATH = `${folder}:${env.PATH}`;
			const withStack = await forecast();
			expect([withStack.asked, withStack.all]).toEqual([15, 19]);
			const shown = ({ name, pipeline, status, count }: ScheduleForecast) =>
				[name, pipeline, status, count].join(" ");
			expect(withStack.schedules.map(shown)).toEqual(without.schedules.map(shown));

			writeFileSync(join(folder, "pulumi"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
			expect((await forecast()).asked).toBe(120);
		},
	);

	it("a long command shows its progress in a pipe, a line every few seconds, and nothing with --quiet", async () => {
		const { cli, server } = await commandsFor({ schedules: 100 });
		server.faults.add({
			endpoint: "getSchedule",
			kind: "delay",
			ms: 2_500,
			times: 1_000,
		});
		const { code, stderr } = await cli("forecast", "--live");
		expect(code).toBe(0);
		expect(stderr).toMatch(/^(Reading schedules: \d+ of 100\n){1,4}$/);
		expect((await cli("forecast", "--live", "--quiet")).stderr).toBe("");
		expect((await cli("schedules", "--quiet", "--search", "none")).stderr).toBe("");
	});
});
