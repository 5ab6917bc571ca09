import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { driftReportSchema } from "../../src/team/drift-report";
import { comparisonSchema } from "../../src/team/forecast-compare";
import { forecastReportSchema } from "../../src/team/forecast-report";
import type { Answer } from "../../src/team/snapshot";
import { succeeded } from "../../tools/process/must";
import { managedResources, resourceName } from "../../tools/stack";
import { runCli } from "../helpers/cli";
import { startCli } from "../helpers/cli-process";
import {
	type Declared,
	resource,
	type TestDeployment,
	testDeployment,
} from "../helpers/e2e-deployment";
import { eventually } from "../helpers/server-harness";

const CANARY = "canary-5d1f0c77";

describe("the commands about a stack of the real engine", () => {
	let test: TestDeployment;
	let place: { folder: string; env: NodeJS.ProcessEnv };
	let program: Declared[];
	const pipelines: string[] = [];

	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 50 });
		place = { folder: test.folder, env: test.stack.env };
		for (let i = 0; i < 8; i++) {
			const { pipeline } = await test.client.pipelines.trigger({
				datasets: ["dev.images.raw"],
			});
			pipelines.push(pipeline?.name ?? "");
		}
		const schedules = pipelines.map((pipelineName, i) => {
			const start = i % 2 === 0 ? { startAfter: "2030-01-01T00:00:00Z" } : {};
			return resource("PipelineSchedule", `s${i}`, {
				pipelineName,
				cronExpression: "0 3 * * *",
				...start,
			});
		});
		const settings = pipelines.map((pipelineName, i) =>
			resource("PipelineSettings", `p${i}`, {
				pipelineName,
				workers: 2,
				priority: 3,
				requirements: ["pillow", "torch"],
				environment: { MODE: "fast", KEY: { $secret: CANARY } },
				credentialsNames: ["shared"],
			}),
		);
		program = [
			...schedules,
			...settings,
			resource("JobFile", "script", { text: "print(1)", name: "a.py" }),
		];
		test.declare(...program);
		await test.up();
		test.makeOld();
	});
	afterAll(() => test?.dispose());

	it("drift finds nothing right after a deployment, and says what it cannot check and what the stack does not manage", async () => {
		const ignoreFile = join(place.folder, ".datachainignore");
		writeFileSync(ignoreFile, "# of other people\nquiet-*\n\n");
		const { report, code } = await drift(place.env, "--ignore", "rusty-????");
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
		expect({
			stack: report.stack,
			project: report.project,
			teams: report.teams,
		}).toEqual({
			stack: "dev",
			project: "lifecycle",
			teams: ["vision"],
		});
		expect(
			report.unmanaged.map(({ kind, name, createdBy }) => [kind, name, createdBy]),
		).toEqual([
			["schedule", "nightly-images-by-hand", "ops-oncall"],
			["pipeline", "nightly-images", null],
		]);
	});

	it("forecast prints the runs of the stack's schedules in every form, and what the program would change of them", async () => {
		const forecast = async (...args: string[]) => {
			const week = [
				"forecast",
				"--stack",
				"dev",
				"--from",
				"2031-01-06T00:00:00Z",
				...args,
			];
			return succeeded("forecast", await runCli(place, week));
		};
		const file = (name: string) => readFileSync(join(place.folder, name), "utf8");
		const text = await forecast("--html", "forecast.html");
		expect(text).toMatch(/^56 runs of 8 schedules of stack "dev"/);
		expect(file("forecast.html")).toContain("Upcoming runs");
		const { schedules } = forecastReportSchema
			.strict()
			.parse(JSON.parse(await forecast("--json")));
		expect(schedules[0]?.runs?.[0]).toBe("2031-01-06T03:00:00Z");
		const [first, , third, ...rest] = program;
		test.declare(
			resource("PipelineSchedule", "s0", {
				...first?.args,
				cronExpression: "0 5 * * *",
			}),
			resource("PipelineSchedule", "fresh", { ...third?.args }),
			...(third ? [third, ...rest] : []),
		);
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

	// What a change of each field is called, and that a refresh sees the same, test/contract/drift-fields.test.ts shows.
	it("drift names what somebody changed and deleted, without a secret, and ends with 2", async () => {
		const team = test.server.team(test.server.teamName);
		team.updateSchedule({ schedule_id: idOf("s0"), cron_expression: "9 9 * * *" });
		team.deleteSchedule(idOf("s1"));
		team.setSettings({
			pipeline_name: pipelines[0] ?? "",
			environment: "MODE=fast\nKEY=theirs",
		});
		const { report, code, stdout } = await drift();
		const fields = report.changed.flatMap((each) =>
			each.fields.map(({ field }) => `${each.resource} ${field}`),
		);
		expect(fields.sort()).toEqual(["p0 environment.KEY", "s0 cronExpression"]);
		expect(report.missing.map(({ resource }) => resource)).toEqual(["s1"]);
		expect(code).toBe(2);
		expect(stdout).not.toMatch(new RegExp(`${CANARY}|theirs`));
	});

	it("board shows who manages a schedule, drift and unmanaged objects, and ends with Ctrl-C", async () => {
		const { printed, interrupt, finished } = running(
			"board",
			"--stack",
			"dev",
			"--no-open",
		);
		const address = new URL(
			await eventually(() => /^http.*$/m.exec(printed.stdout)?.[0], 60_000),
		);
		expect(address.hostname).toBe("127.0.0.1");
		const headers = { "x-board-key": address.searchParams.get("key") ?? "" };
		const answer = await eventually(async () => {
			const found = (await (
				await fetch(`${address.origin}/board/data`, { headers })
			).json()) as Answer;
			return found.stack === null ? undefined : found;
		}, 120_000);
		expect(answer.rows.schedules?.map(({ managedBy }) => managedBy).join()).toMatch(
			/dev \/ s\d/,
		);
		const texts = answer.rows.attention
			?.map(({ kind, text }) => `${kind}: ${text}`)
			.join("\n");
		expect(texts).toMatch(/drift: PipelineS\w+ "[^"]+" differs from the stack: /);
		expect(texts).toMatch(
			/unmanaged: No stack resource manages schedule "nightly-images-by-hand", created by/,
		);
		expect(JSON.stringify(answer)).not.toContain(test.server.token);
		interrupt();
		expect((await finished).code).toBe(0);
	});

	it("drift takes the connection from the stack's config if the environment has none", async () => {
		// The test's stack keeps its config file elsewhere; the CLI looks for it beside the project.
		const config = join(place.folder, "Pulumi.dev.yaml");
		const env = { ...place.env };
		for (const name of Object.keys(env))
			if (name.startsWith("DATACHAIN_")) delete env[name];
		await test.stack.setConfig("datachain:baseUrl", test.server.url);
		await test.stack.setConfig("datachain:teamName", test.server.teamName);
		await test.stack.setConfig("datachain:token", test.server.token, { secret: true });
		writeFileSync(config, readFileSync(test.stack.configFile));
		try {
			expect((await drift(env)).report.summary.managed).toBe(17);
		} finally {
			rmSync(config);
		}
	});

	it("drift --watch prints each new verdict once, and ends on Ctrl-C with the exit code of the last", async () => {
		const { printed, interrupt, finished } = running(
			"drift",
			"--stack",
			"dev",
			"--json",
			"--watch",
			"5s",
		);
		const lines = () => printed.stdout.split("\n").slice(0, -1);
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
		expect(reports[1]?.summary.unmanaged).toBe(
			(reports[0]?.summary.unmanaged ?? 0) + 1,
		);
		interrupt();
		expect(await finished).toMatchObject({ code: 2, stderr: "" });
	});

	/** A command that goes on until the test ends it. */
	const running = (...args: string[]) => startCli(args, place.env, place.folder);
	/** The report, in its documented form, and the exit code. */
	const drift = async (env = place.env, ...args: string[]) => {
		const { code, stdout } = await runCli({ ...place, env }, [
			"drift",
			"--stack",
			"dev",
			"--json",
			...args,
		]);
		return {
			report: driftReportSchema.strict().parse(JSON.parse(stdout)),
			code,
			stdout,
		};
	};
	const idOf = (name: string) =>
		Number(
			managedResources(test.stack.checkpoint()).find(
				(resource) => resourceName(resource) === name,
			)?.id,
		);
});
