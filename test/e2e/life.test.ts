import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { managedResources } from "../../tools/stack";
import {
	type Declared,
	resource,
	type TestDeployment,
	testDeployment,
} from "../helpers/e2e-deployment";
import { writes } from "../helpers/plugin-languages";
import { onLoopback } from "../helpers/raw-server";
import { eventually } from "../helpers/server-harness";

const OURS = "canary-ours-4711";
const THEIRS = "canary-theirs-0815";
const CLEAN = "dev.images.clean";

const schedule = (args: object = {}) =>
	resource("PipelineSchedule", "nightly", {
		scheduleName: "nightly",
		pipelineName: "nightly-images",
		cronExpression: "0 3 * * *",
		startAfter: "2031-01-01T00:00:00Z",
		...args,
	});

const ENVIRONMENT = {
	MODEL: "clip",
	MODE: "plain-until-now",
	API_KEY: { $secret: OURS },
};
const S3 = {
	key: `${OURS}-key`,
	secret: `${OURS}-s3`,
	endpointUrl: "http://127.0.0.1:9000",
	useSsl: false,
};
const settings = (args: object = {}) =>
	resource("PipelineSettings", "settings", {
		pipelineName: "rusty-vise",
		pythonVersion: "3.12",
		requirements: ["pillow==11.0.0", "numpy"],
		repository: "https://example.com/team/repo.git@main",
		workers: 3,
		priority: 2,
		environment: ENVIRONMENT,
		storage: [{ $storage: "s3", args: S3 }],
		credentialsNames: ["vision-aws"],
		onDestroy: "reset",
		// The pipeline has a Python version already.
		adopt: true,
		files: [{ $from: "script.id" }],
		...args,
	});

/** The program leaves the times of this one to others. */
const left = (scheduleName: string) =>
	resource(
		"PipelineSchedule",
		"left",
		{
			scheduleName,
			pipelineName: "quiet-harbor",
			cronExpression: "0 3 * * *",
			timeZone: "Asia/Tokyo",
		},
		{ ignoreChanges: ["cronExpression"] },
	);

/** Two of the same name, under two kinds of component. */
const children = (first: string, second: string): Declared[] =>
	[
		{ parent: "one", type: "acme:Reports", scheduleName: first },
		{ parent: "two", type: "acme:Cleanups", scheduleName: second },
	].flatMap(({ parent, type, scheduleName }) => [
		resource("Component", parent, { type }),
		resource(
			"PipelineSchedule",
			"child",
			{ scheduleName, pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
			{ parent },
		),
	]);

/** A pipeline, and what uses its name. */
const pipeline = (datasets: string): Declared[] => [
	resource("Pipeline", "images", { datasets }),
	resource("PipelineSettings", "tuning", {
		pipelineName: { $from: "images.name" },
		workers: 2,
	}),
	resource("PipelineSchedule", "follows", {
		scheduleName: "follows",
		pipelineName: { $from: "images.name" },
		cronExpression: "0 3 * * *",
	}),
];

/** A pipeline that the second program gives settings and a schedule. */
const standalone = resource("Pipeline", "whole", {
	datasets: CLEAN,
	removeJobs: ["dev.images.raw"],
});

const job = resource("Job", "train", {
	file: "./train.py",
	name: "train",
	environment: { KEY: { $secret: `${OURS}-job` } },
	wait: true,
});

describe("every kind, one life on the real engine", () => {
	let test: TestDeployment;
	let web: { url: string; close(): Promise<void> };
	let file: object = { source: "./prepare.py" };
	beforeAll(async () => {
		test = await testDeployment({ jobStepMillis: 100 });
		web = await onLoopback(createServer((_, reply) => reply.end("print('four!')\n")));
		writeFileSync(join(test.folder, "prepare.py"), "print('one')\n");
		writeFileSync(
			join(test.folder, "train.py"),
			`print("epoch 1")\nprint("key ${OURS}-job")\n`,
		);
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			python_version: "3.10",
			environment: "BEFORE=theirs",
		});
	});
	afterAll(async () => {
		await test?.dispose();
		await web?.close();
	});

	const script = () => resource("JobFile", "script", file);
	const status = (name: string) => test.client.pipelines.status({ name });
	const named = async (name: string) => {
		const found = await test.named(name);
		expect(found).toHaveLength(1);
		return test.client.schedules.get({ schedule_id: found[0]?.id ?? 0 });
	};
	const outputsOf = (kind: string, name: string) =>
		managedResources(test.stack.checkpoint()).find(({ urn }) =>
			urn.endsWith(`:${kind}::${name}`),
		)?.outputs;
	const jobs = async (name: string) =>
		(await test.client.jobs.list({ limit: 200 })).filter((each) => each.name === name);
	const state = () => JSON.stringify(test.stack.checkpoint());
	const declared = {
		python_version: "3.12",
		requirements: "pillow==11.0.0\nnumpy",
		repository: "https://example.com/team/repo.git@main",
		workers: 3,
		priority: 2,
	};

	it("a preview says what it will do, and sends no write", async () => {
		test.declare(
			script(),
			settings(),
			schedule(),
			left("left"),
			...children("first", "second"),
			...pipeline("dev.images.raw"),
			standalone,
			job,
		);
		// From here on the token is in the stack's config alone, at first in clear.
		delete test.stack.env.DATACHAIN_STUDIO_TOKEN;
		await test.stack.setConfig("datachain:token", test.server.token);
		test.server.requests.clear();
		const said = await test.preview();
		expect(said).toMatch(/datachain:token is stored in plain text/);
		expect(said).toMatch(
			/"rusty-vise".*will write .*environment \(API_KEY, MODE, MODEL\)/,
		);
		expect(writes(test.server)).toBe(0);
	});

	// That nothing is left to do is asked after the next program, which keeps a part of this one and adds to it.
	it("up makes all of it as declared, once", async () => {
		await test.stack.setConfig("datachain:token", test.server.token, { secret: true });
		const { stdout } = await test.up();
		expect(stdout).not.toMatch(/stored in plain text/);
		expect(await named("nightly")).toMatchObject({
			cron_expression: "0 3 * * *",
			pipeline: { name: "nightly-images", status: "COMPLETED" },
		});
		expect(outputsOf("PipelineSchedule", "nightly")).toMatchObject({
			scheduleId: (await named("nightly")).id,
			cronDescription: "every day at 03:00 UTC",
			createdBy: { username: "developer" },
		});
		// The state has the line of the program, and no code or folder of the machine.
		const { sourcePosition, stackTrace, inputs } = await test.resource("nightly");
		expect(sourcePosition).toMatch(/^project:\/\/\/index\.js#\d+,\d+$/);
		expect(stackTrace).toEqual([{ sourcePosition }]);
		expect(inputs?.__provider).toBe(
			'exports.handler=require("pulumi-datachain/provider").schedule',
		);
		const { environment_variables: variables, ...live } = await status("rusty-vise");
		expect(live).toMatchObject(declared);
		expect(variables).toMatchObject({ MODEL: "clip", API_KEY: OURS, BEFORE: "theirs" });
		expect(JSON.parse(variables?.FSSPEC_S3 ?? "")).toMatchObject({ secret: S3.secret });
		const fileId = (await test.resource("script")).id;
		expect(outputsOf("JobFile", "script")).toMatchObject({
			fileId,
			filename: "prepare.py",
			size: 13,
		});
		expect(outputsOf("PipelineSettings", "settings")).toMatchObject({
			files: [fileId],
			adopted: true,
		});
		const images = outputsOf("Pipeline", "images")?.name;
		expect(await status(String(images))).toMatchObject({
			status: "PAUSED",
			completed: 0,
			workers: 2,
		});
		expect(outputsOf("PipelineSchedule", "follows")).toMatchObject({
			pipelineName: images,
		});
		expect(stdout).toMatch(
			/"quiet-harbor" in team "vision" is paused, so schedule "left" never runs it/,
		);
		expect(stdout).toMatch(/train: job [0-9a-f-]{36} is COMPLETE/);
		// With the job, not with the stack.
		expect(stdout).toMatch(
			/\n {2}\S+:Job \(train\):\n( {4}train.*\n)*? {4}train: job /,
		);
		expect(stdout).toContain("train | epoch 1");
		expect(stdout).toContain("train | key [redacted]");
		expect(outputsOf("Job", "train")).toMatchObject({
			status: "COMPLETE",
			queryType: "PYTHON",
		});
		expect(state()).toContain("plain-until-now");
	});

	it("another program changes in place what it can, replaces a pipeline, and takes no child for the other", async () => {
		const [{ id }, before] = [
			await named("nightly"),
			String(outputsOf("Pipeline", "images")?.name),
		];
		const whole = (await test.resource("whole")).id;
		await test.client.pipelines.resume({ name: before });
		mkdirSync(join(test.folder, "moved"));
		renameSync(
			join(test.folder, "prepare.py"),
			join(test.folder, "moved", "prepare.py"),
		);
		file = { source: { $asset: "FileAsset", value: "./moved/prepare.py" } };
		const environment = {
			...ENVIRONMENT,
			MODE: { $secret: "plain-until-now" },
			API_KEY: { $secret: `${OURS}-2` },
		};
		const remote = {
			source: { $asset: "RemoteAsset", value: `${web.url}/files/four.py` },
		};
		const text = {
			source: { $asset: "StringAsset", value: "print('three')\n" },
			name: "three.py",
		};
		test.declare(
			script(),
			resource("JobFile", "remote", remote),
			resource("JobFile", "text", text),
			settings({ environment, workers: 7, priority: 0 }),
			schedule({
				cronExpression: "15 4 * * mon-fri",
				startAfter: "2032-02-29T12:30:00Z",
				scheduleName: "renamed",
				paused: true,
			}),
			left("left"),
			...children("second", "first"),
			...pipeline(CLEAN),
			standalone,
			resource("JobFile", "labels", { text: "a", name: "a.txt" }),
			resource("PipelineSettings", "whole-settings", {
				pipelineName: { $from: "whole.name" },
				workers: 3,
				environment: { KEY: { $secret: `${OURS}-whole` } },
				files: [{ $from: "labels.id" }],
			}),
			resource("PipelineSchedule", "whole-schedule", {
				pipelineName: { $from: "whole-settings.pipelineName" },
				cronExpression: "0 3 * * *",
				paused: false,
			}),
			job,
		);
		const said = await test.preview(["--diff"]);
		expect(said).toMatch(/cronExpression *: .* => "15 4 \* \* mon-fri"/);
		expect(said).toMatch(
			/Pipeline "nightly-images" in team "vision" will be paused: "nightly" declares/,
		);
		expect(said).toMatch(
			/"settings": the secret value of environment\.API_KEY changes\./,
		);
		const uploads = test.server.requests.count({ endpoint: "uploadFile" });
		await test.up();
		expect(await named("renamed")).toMatchObject({
			id,
			cron_expression: "15 4 * * mon-fri",
			start_after: "2032-02-29T12:30:00.000000+00:00",
			pipeline: { status: "PAUSED" },
		});
		expect(await status("rusty-vise")).toMatchObject({ workers: 7, priority: 0 });
		// The same bytes from another place are no change; the three new files are.
		expect(test.server.requests.count({ endpoint: "uploadFile" })).toBe(uploads + 3);
		expect(outputsOf("JobFile", "text")).toMatchObject({
			filename: "three.py",
			size: 15,
		});
		expect(outputsOf("JobFile", "remote")).toMatchObject({
			filename: "four.py",
			size: 15,
		});
		const after = (await named("follows")).pipeline?.name;
		expect(after).toBe(outputsOf("Pipeline", "images")?.name);
		expect(after).not.toBe(before);
		expect(await status(before)).toMatchObject({ status: "PAUSED" });
		for (const name of ["first", "second"]) expect(await named(name)).toBeDefined();
		expect((await test.resource("whole")).id).toBe(whole);
		expect(state()).not.toContain("plain-until-now");
		await test.expectSettled();
		expect(await jobs("train")).toHaveLength(1);
	});

	it("settings are written before anything runs, if the schedule takes the name from them", async () => {
		// The other pipeline of this dataset is paused, and never ran.
		const done = async () =>
			(await jobs(CLEAN)).find((each) => each.status === "COMPLETE");
		const ran = await eventually(done);
		expect(ran).toMatchObject({ workers: 3, environment: { KEY: `${OURS}-whole` } });
	});

	it("what others change is named without its secrets, left where the program says so, and else repaired", async () => {
		const program = [
			script(),
			settings(),
			schedule({ paused: false, cronExpression: "@weekly" }),
		];
		const whole = String(outputsOf("Pipeline", "whole")?.name);
		test.declare(...program, left("left"));
		const { stdout } = await test.up();
		expect(stdout).toContain(
			`Pipeline "${whole}" in team "vision" was paused and stays on the service`,
		);
		expect(await status(whole)).toMatchObject({ status: "PAUSED" });
		const before = await named("nightly");
		expect(before.cron_expression).toBe("0 0 * * 0");
		for (const { id } of [before, await named("left")])
			await test.client.schedules.update({
				schedule_id: id,
				cron_expression: "9 9 * * *",
			});
		const s3 = {
			key: S3.key,
			secret: `${THEIRS}-stolen`,
			token: `${THEIRS}-added`,
			use_ssl: false,
		};
		const lines = [
			"MODEL=other",
			`API_KEY=${THEIRS}`,
			`ADDED=${THEIRS}`,
			`FSSPEC_S3=${JSON.stringify(s3)}`,
		];
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			workers: 99,
			environment: lines.join("\n"),
		});
		const { code, stdout: drift } = await test.stack.refresh([
			"--skip-preview",
			"--diff",
		]);
		expect(code, drift).toBe(0);
		expect(drift).not.toContain("ADDED");
		for (const shown of [
			/cronExpression *: "@weekly" => "9 9 \* \* \*"/,
			/workers *: 3 => 99/,
			/API_KEY *: \[secret\]/,
			/secret *: \[secret\]/,
			/token *: "\(set outside Pulumi\)"/,
		])
			expect(drift).toMatch(shown);
		// A refresh that writes the drift into the state must not write secrets there in clear.
		expect(state()).not.toMatch(/canary/);
		test.declare(...program, left("left-later"));
		await test.up();
		const {
			next_run: _n,
			updated_at: _u,
			latest_run: _l,
			...after
		} = await named("nightly");
		expect(before).toMatchObject({
			...after,
			pipeline: { status: before.pipeline?.status },
		});
		const { environment_variables: variables, ...live } = await status("rusty-vise");
		expect(live).toMatchObject(declared);
		expect(variables).toMatchObject({ MODEL: "clip", API_KEY: OURS, ADDED: THEIRS });
		expect(JSON.parse(variables?.FSSPEC_S3 ?? "")).toMatchObject({ secret: S3.secret });
		expect((await named("left-later")).cron_expression).toBe("9 9 * * *");
		await test.expectSettled();
	});

	it("Ctrl-C ends the wait at once, leaves the job running and keeps its id; the next deployment goes on", async () => {
		const held = (args: object) =>
			test.declare(
				script(),
				settings(),
				schedule({ paused: false }),
				resource("Job", "held", { query: "# local-server: hold\n", ...args }),
			);
		held({ wait: true });
		const up = test.stack.start("up", ["--skip-preview"]);
		const running = async () =>
			(await jobs("held"))[0]?.status === "RUNNING" ? true : undefined;
		await eventually(running, 60_000);
		const pressed = performance.now();
		up.interrupt();
		const { code, stdout } = await up.finished;
		expect(performance.now() - pressed).toBeLessThan(15_000);
		expect(code).not.toBe(0);
		// The provider may not have polled yet since the job started, so it may still name an earlier status.
		expect(stdout).toMatch(
			/is [A-Z]+, and the deployment was interrupted\. It was not stopped/,
		);
		const { id } = await test.resource("held");
		expect((await jobs("held")).map((each) => [each.id, each.status])).toEqual([
			[id, "RUNNING"],
		]);
		held({});
		await test.up();
		expect((await test.resource("held")).id).toBe(id);
		expect(await jobs("held")).toHaveLength(1);
	});

	it("destroy deletes the schedule and no other, resets its settings, and says once that files are kept", async () => {
		const before = await test.client.schedules.list();
		const { id } = await named("nightly");
		const result = await test.stack.destroy(["--skip-preview"]);
		expect(result.code, result.stdout).toBe(0);
		expect(await test.client.schedules.list()).toEqual(
			before.filter((item) => item.id !== id),
		);
		const now = await status("rusty-vise");
		for (const key of ["python_version", "requirements", "repository"] as const)
			expect(now[key] || null).toBe(null);
		expect(now.environment_variables).toEqual({ ADDED: THEIRS });
		const [, diagnostics = ""] = result.stdout.split("Diagnostics:");
		expect(diagnostics.match(/The API cannot delete an uploaded file/g)).toHaveLength(
			1,
		);
	});

	it("no secret was printed", () => {
		expect(test.printed()).not.toMatch(/canary/);
	});
});
