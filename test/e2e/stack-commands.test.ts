import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Random } from "../../bench/faults/random";
import type { Answer } from "../../src/board/snapshot";
import { type DriftReport, driftReportSchema } from "../../src/commands/drift-report";
import { comparisonSchema } from "../../src/commands/forecast-compare";
import { forecastReportSchema } from "../../src/commands/forecast-report";
import { succeeded } from "../../tools/process/must";
import { managedResources, resourceKind, resourceName } from "../../tools/stack";
import { plainCases } from "../helpers/drift-cases";
import { driftJson, refreshVerdicts, runCli, type Verdict } from "../helpers/drift-cli";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { eventually } from "../helpers/server-harness";
import { exitOf, spawnCli } from "../helpers/server-process";

const CANARY = "canary-5d1f0c77";

describe("the commands about a stack of the real engine", () => {
	let test: TestDeployment;
	let place: { folder: string; env: NodeJS.ProcessEnv };
	let program: Declared[];
	const pipelines: string[] = [];
	const ids = new Map<string, number>();
	const met = new Set<Verdict>();

	beforeAll(async () => {
		// Lets refresh write its events to a file.
		test = await testDeployment({ jobStepMillis: 50, env: { PULUMI_DEBUG_COMMANDS: "true" } });
		place = { folder: test.folder, env: test.stack.env };
		for (let i = 0; i < 8; i++) {
			const { pipeline } = await test.client.pipelines.trigger({ datasets: ["dev.images.raw"] });
			pipelines.push(pipeline?.name ?? "");
		}
		const schedules: Declared[] = pipelines.map((pipelineName, i) => ({
			kind: "PipelineSchedule",
			name: `s${i}`,
			args: {
				pipelineName,
				cronExpression: "0 3 * * *",
				...(i % 2 === 0 && { startAfter: "2030-01-01T00:00:00Z" }),
			},
		}));
		const settings: Declared[] = pipelines.map((pipelineName, i) => ({
			kind: "PipelineSettings",
			name: `p${i}`,
			args: {
				pipelineName,
				workers: 2,
				priority: 3,
				requirements: ["pillow", "torch"],
				environment: { MODE: "fast", KEY: { $secret: CANARY } },
				credentialsNames: ["shared"],
			},
		}));
		const file: Declared = { kind: "JobFile", name: "script", args: { text: "print(1)", name: "a.py" } };
		program = [...schedules, ...settings, file];
		test.declare(...program);
		await test.up();
		for (const resource of managedResources(await test.stack.export())) {
			if (resourceKind(resource) === "PipelineSchedule") ids.set(resourceName(resource), Number(resource.id));
		}
		test.makeOld();
	});
	afterAll(() => test?.dispose());

	it("drift finds nothing right after a deployment, and says what it cannot check and what the stack does not manage", async () => {
		const ignoreFile = join(place.folder, ".datachainignore");
		writeFileSync(ignoreFile, "# of other people\nquiet-*\n\n");
		const { report, code } = await driftJson(place, ["--ignore", "rusty-????"]);
		rmSync(ignoreFile);
		expect(code).toBe(0);
		expect(report.summary).toMatchObject({
			managed: 17,
			unchanged: 17,
			changed: 0,
			missing: 0,
			unchecked: 9,
			ignored: 2,
		});
		expect(new Set(report.unchecked.map(({ field }) => field))).toEqual(
			new Set(["credentialsNames", "content"]),
		);
		expect({ stack: report.stack, project: report.project, teams: report.teams }).toEqual({
			stack: "dev",
			project: "lifecycle",
			teams: ["vision"],
		});
		expect(report.unmanaged.map(({ kind, name, createdBy }) => [kind, name, createdBy])).toEqual([
			["schedule", "nightly-images-by-hand", "ops-oncall"],
			["pipeline", "nightly-images", null],
		]);
	});

	it("forecast prints the runs of the stack's schedules in every form, and what the program would change of them", async () => {
		const forecast = async (...args: string[]) => {
			const week = ["forecast", "--stack", "dev", "--from", "2031-01-06T00:00:00Z", ...args];
			return succeeded("forecast", await runCli(place, week));
		};
		const file = (name: string) => readFileSync(join(place.folder, name), "utf8");
		const text = await forecast("--html", "forecast.html", "--ics", "runs.ics");
		expect(text).toMatch(/^56 runs of 8 schedules of stack "dev"/);
		expect(file("forecast.html")).toContain("Upcoming runs");
		expect(file("runs.ics").match(/^SUMMARY:lifecycle-dev-s\d\r$/gm)).toHaveLength(56);
		const { schedules } = forecastReportSchema.strict().parse(JSON.parse(await forecast("--json")));
		expect(schedules[0]?.runs?.[0]).toBe("2031-01-06T03:00:00Z");
		const [first, , ...rest] = program;
		const args = { ...first?.args, cronExpression: "0 5 * * *" };
		test.declare({ kind: "PipelineSchedule", name: "s0", args }, ...rest, {
			...rest[0],
			name: "fresh",
		} as Declared);
		const compared = await forecast("--compare", "--json", "--html", "compare.html");
		const comparison = comparisonSchema.strict().parse(JSON.parse(compared));
		expect(comparison.summary).toMatchObject({ added: 7, removed: 7, moved: 7 });
		expect(comparison.schedules.map(({ name, how }) => [name, how])).toEqual([
			["lifecycle-dev-fresh", "added"],
			["lifecycle-dev-s0", "changed"],
			["lifecycle-dev-s1", "removed"],
		]);
		expect(file("compare.html")).toContain("7 runs moved, 7 added, 7 removed");
	});

	it.each([11, 23])(
		"drift agrees with refresh on every resource after random changes (seed %i)",
		async (seed) => {
			const random = new Random(String(seed));
			const team = test.server.team(test.server.teamName);
			const done: string[] = [];
			for (const [index, pipeline] of pipelines.entries()) {
				const id = ids.get(`s${index}`) ?? 0;
				if (exists(id) && random.chance(0.15)) team.deleteSchedule(id);
				for (const kind of ["PipelineSchedule", "PipelineSettings"]) {
					const { what, covers, change } = random.pick(plainCases.filter((each) => each.kind === kind));
					if (kind === "PipelineSettings" || exists(id)) change({ team, pipeline, id });
					done.push(`${kind} ${index}: ${covers}, ${what}`);
				}
			}
			const [expected, { report, code, stdout }] = await Promise.all([
				refreshVerdicts(test),
				driftJson(place),
			]);
			expect(expected.size).toBe(17);
			expect(verdicts(report, expected), done.join("\n")).toEqual(Object.fromEntries(expected));
			for (const verdict of expected.values()) met.add(verdict);
			expect(code).toBe(2);
			expect(stdout).not.toContain(CANARY);
			expect(stdout).not.toContain("theirs");
		},
	);

	it("met every verdict in those changes", () => {
		expect([...met].sort()).toEqual(["changed", "missing", "same"]);
	});

	it("board shows who manages a schedule, drift and unmanaged objects, and ends with Ctrl-C", async () => {
		const { child, stdout } = running("board", "--stack", "dev", "--no-open");
		const address = new URL(await eventually(() => /^http.*$/m.exec(stdout())?.[0], 60_000));
		expect(address.hostname).toBe("127.0.0.1");
		const headers = { "x-board-key": address.searchParams.get("key") ?? "" };
		const answer = await eventually(async () => {
			const found = (await (await fetch(`${address.origin}/board/data`, { headers })).json()) as Answer;
			return found.stack === null ? undefined : found;
		}, 120_000);
		expect(answer.rows.schedules?.map(({ managedBy }) => managedBy).join()).toMatch(/dev \/ s\d/);
		const texts = answer.rows.attention?.map(({ kind, text }) => `${kind}: ${text}`).join("\n");
		expect(texts).toMatch(/drift: PipelineS\w+ "[^"]+" differs from the stack: /);
		expect(texts).toMatch(
			/unmanaged: No stack resource manages schedule "nightly-images-by-hand", created by/,
		);
		expect(JSON.stringify(answer)).not.toContain(test.server.token);
		child.kill("SIGINT");
		expect(await exitOf(child)).toBe(0);
	});

	it("drift takes the connection from the stack's config if the environment has none", async () => {
		// The test's stack keeps its config file elsewhere; the CLI looks for it beside the project.
		const config = join(place.folder, "Pulumi.dev.yaml");
		const env = { ...place.env };
		for (const name of Object.keys(env)) if (name.startsWith("DATACHAIN_")) delete env[name];
		await test.stack.setConfig("datachain:baseUrl", test.server.url);
		await test.stack.setConfig("datachain:teamName", test.server.teamName);
		await test.stack.setConfig("datachain:token", test.server.token, { secret: true });
		writeFileSync(config, readFileSync(test.stack.configFile));
		try {
			expect((await driftJson({ ...place, env })).report.summary.managed).toBe(17);
		} finally {
			rmSync(config);
		}
	});

	it("drift --watch prints each new verdict once, and ends on Ctrl-C with the exit code of the last", async () => {
		const { child, stdout, stderr } = running("drift", "--stack", "dev", "--json", "--watch", "5s");
		const lines = () => stdout().split("\n").slice(0, -1);
		await eventually(() => lines().length === 1 || undefined, 20_000);
		test.server.requests.clear();
		// One more look at the same thing has nothing to tell.
		await eventually(
			() => test.server.requests.count({ endpoint: "listSchedules" }) > 0 || undefined,
			20_000,
		);
		expect(lines()).toHaveLength(1);
		await test.client.schedules.create({
			schedule_name: "made-while-watching",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		});
		await eventually(() => lines().length === 2 || undefined, 20_000);
		const reports = lines().map((line) => driftReportSchema.parse(JSON.parse(line)));
		expect(reports[1]?.summary.unmanaged).toBe((reports[0]?.summary.unmanaged ?? 0) + 1);
		child.kill("SIGINT");
		expect([await exitOf(child), stderr()]).toEqual([2, ""]);
	});

	/** A command that goes on until the test ends it. */
	const running = (...args: string[]) => spawnCli(args, place.env, { cwd: place.folder });
	const exists = (id: number) =>
		test.server
			.team(test.server.teamName)
			.schedules()
			.some((schedule) => schedule.id === id);
});

function verdicts(report: DriftReport, all: ReadonlyMap<string, Verdict>): Record<string, Verdict> {
	const found = Object.fromEntries([...all.keys()].map((urn) => [urn, "same" as Verdict]));
	for (const { urn } of report.changed) found[urn] = "changed";
	for (const { urn } of report.missing) found[urn] = "missing";
	return found;
}
