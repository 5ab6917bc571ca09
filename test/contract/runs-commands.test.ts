import { describe, expect, it } from "vitest";
import { teamCli } from "../helpers/cli-process";
import { apiOf, eventually } from "../helpers/server-harness";

describe("commands about runs", { timeout: 120_000 }, () => {
	const team = teamCli({
		"good.py": 'print("hello")\nprint("  indented sesame-open-42")\n',
		"bad.py": `print("no disk\t${"x".repeat(3_000)} ")\nraise SystemExit(7)\n`,
		"hold.py": "# local-server: hold\n",
		train: "print(1)\n",
	});
	const { cli, fails, json, file, start, jobOf } = team;
	const hasStatus = async (id: string, status: string) =>
		Object(await jobOf(id)).status === status ? true : undefined;

	it("jobs and pipelines list what is there, for people and as JSON, without queries and settings", async () => {
		const { stdout } = await cli("jobs", "--status", "active");
		expect(stdout).toMatch(
			/^ID +NAME +STATUS +CREATED \(UTC\) +LENGTH +PIPELINE +SCHEDULE +BY\n\S{36} +backfill\.py +RUNNING +\d{4}-.* data-eng\n$/,
		);
		expect(await json("jobs", "--limit", "2")).toHaveLength(2);
		expect(JSON.stringify(await json("jobs"))).not.toMatch(
			/"query"|"environment"|import datachain/,
		);
		expect((await cli("pipelines", "--status", "PAUSED")).stdout).toMatch(
			/quiet-harbor +PAUSED +0\/2 +dev\.images\.clean/,
		);
		expect(await json("pipelines", "--search", "thumb")).toMatchObject([
			{ name: "rusty-vise", status: "FAILED" },
		]);
		const one = await cli("pipelines", "rusty-vise");
		expect(one.stdout).toMatch(
			/Status +FAILED, 2 of 2 jobs done[\s\S]*dev\.images\.thumbnails +FAILED/,
		);
		expect(JSON.stringify(await json("pipelines"))).not.toMatch(/LOG_LEVEL/);
	});

	it("run --wait prints the log and ends with the job's exit code", async () => {
		const good = await cli(
			"run",
			file("good.py"),
			"--wait",
			"--env",
			"KEY=sesame-open-42",
		);
		expect(good).toMatchObject({ code: 0, stderr: "" });
		expect(good.stdout).toMatch(/^hello\n {2}indented \[redacted\]$/m);
		const bad = await cli("run", file("bad.py"), "--wait");
		expect(bad).toMatchObject({
			code: 7,
			stdout: expect.stringContaining(`no disk\t${"x".repeat(3_000)} \n`),
		});
		expect(bad.stderr).toMatch(
			/Job "bad\.py" \(id .*\) in team "vision" ended as FAILED with exit code 7/,
		);
		expect(await json("run", file("good.py"), "--wait")).toMatchObject({
			status: "COMPLETE",
			exitCode: 0,
		});
	});

	it("run --wait says also to a script that the log could not be followed", async () => {
		team.server.faults.add({ endpoint: "followLogs", kind: "status", status: 403 });
		const { code, stdout, stderr } = await cli("run", file("good.py"), "--wait");
		expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
		expect(stderr).toMatch(
			/^good\.py: its log cannot be followed\. Could not follow the log .*403/,
		);
	});

	it("run sends its options and uploads its files, and refuses before anything is sent what cannot run", async () => {
		const { id } = await json(
			...["run", file("good.py"), "--name", "all", "--workers", "3"],
			...["--req", "numpy", "--req", "pillow"],
			...[
				"--python",
				"3.11",
				"--priority",
				"2",
				"--cluster",
				"gpu",
				"--file",
				file("bad.py"),
			],
		);
		expect(await jobOf(id)).toMatchObject({
			name: "all",
			workers: 3,
			requirements: "numpy\npillow",
			python_version: "3.11",
			compute_cluster_name: "gpu",
		});
		team.server.requests.clear();
		const upload = ["--file", file("bad.py")];
		expect(
			await cli("run", file("good.py"), "--cluster", "nope", ...upload),
		).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(
				/^error: clusterName: team "vision" has no compute cluster "nope"/,
			),
		});
		expect((await cli("run", file("none.py"), ...upload)).code).toBe(1);
		expect((await cli("run", file("train"), ...upload)).stderr).toMatch(
			/^error: The name ".*train" does not say what it is\. Rename it: \.py for Python/,
		);
		expect(
			team.server.requests.entries.filter(({ method }) => method !== "GET"),
		).toEqual([]);
	});

	it("Ctrl-C ends an upload of run --file, and no job is started", async () => {
		team.server.requests.clear();
		team.server.faults.add({
			endpoint: "uploadFile",
			kind: "delay",
			ms: 20_000,
			times: 1,
		});
		const upload = start("run", file("good.py"), "--file", file("bad.py"));
		await eventually(
			() => team.server.requests.count({ endpoint: "uploadFile" }) > 0 || undefined,
			30_000,
		);
		upload.interrupt();
		expect(await upload.finished).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/it was cancelled/),
		});
		expect(team.server.requests.count({ endpoint: "createJob" })).toBe(0);
	});

	it.each([
		["leave", /Job \S+ was left running\./, "RUNNING"],
		["cancel", /Job \S+ was asked to end\./, "CANCELED"],
	])(
		"Ctrl-C during run --wait does what --on-interrupt %s says",
		async (flag, message, status) => {
			const name = `held-${flag}`;
			const options = ["--name", name, "--wait", "--on-interrupt", flag];
			const held = start("run", file("hold.py"), ...options);
			const id = await eventually(async () => {
				const jobs = await apiOf(team.server).get("/jobs/?limit=5&status=RUNNING");
				return jobs.at("0.name") === name ? jobs.textAt("0.id") : undefined;
			}, 60_000);
			held.interrupt();
			expect(await held.finished).toMatchObject({
				code: 130,
				stderr: expect.stringMatching(message),
			});
			await eventually(() => hasStatus(id, status));
			if (status === "RUNNING")
				expect(await json("cancel", id)).toMatchObject([{ id }]);
		},
	);

	it("run --wait gives up after --timeout with 124, and the job goes on", async () => {
		const { code, stderr } = await cli(
			"run",
			file("hold.py"),
			"--wait",
			"--timeout",
			"2s",
		);
		expect(code).toBe(124);
		expect(stderr).toMatch(
			/it did not end within 2 s, which is its timeout\. It was not stopped\. Continue with "pulumi-datachain logs \S{36} --follow"\.\n$/,
		);
		expect(stderr).not.toContain("has no effect");
	});

	it("Ctrl-C during trigger --wait --on-interrupt cancel pauses the pipeline, and says so", async () => {
		team.server.faults.add({
			endpoint: "pipelineStatus",
			kind: "rewrite",
			set: { status: "RUNNING" },
		});
		team.server.requests.clear();
		const trigger = start(
			"trigger",
			"dev.images.clean",
			"--wait",
			"--on-interrupt",
			"cancel",
		);
		await eventually(
			() => team.server.requests.count({ endpoint: "pipelineStatus" }) > 0 || undefined,
			30_000,
		);
		trigger.interrupt();
		const stderr = expect.stringMatching(/Pipeline \S+ was paused\./);
		expect(await trigger.finished).toMatchObject({ code: 130, stderr });
	});

	it("cancel asks for every job, also after one that does not exist or has ended", async () => {
		const ended = (await json("jobs", "--status", "COMPLETE", "--limit", "1"))[0].id;
		const id = (await cli("run", file("hold.py"))).stdout.trim();
		const set = { message: "ending \u001b[2J" };
		team.server.faults.add({ endpoint: "cancelJob", kind: "rewrite", set });
		const result = await cli("cancel", "no-such-job", ended, id);
		// What the service says cannot steer the terminal.
		expect(result).toMatchObject({ code: 1, stdout: `${id}: ending \\x1b[2J\n` });
		expect(result.stderr).toMatch(
			/^error: Team "vision" has no job "no-such-job"\..*\n/,
		);
		expect(result.stderr).toMatch(
			new RegExp(
				`^Job ${ended} \\(".*"\\) ended at \\d{4}-.* UTC: COMPLETE\\. There is nothing to cancel\\.\\n$`,
				"m",
			),
		);
		expect(result.stderr).not.toMatch(/repeat the change/);
	});

	it("rerun repeats a job with its script and its settings, and says what the service does not show", async () => {
		const args = [
			"--env",
			"EPOCHS=3",
			"--req",
			"numpy",
			"--workers",
			"2",
			"--python",
			"3.12",
		];
		const first = (
			await cli("run", file("good.py"), "--wait", "--name", "train again", ...args)
		).code;
		expect(first).toBe(0);
		const [{ id }] = await json("jobs", "--limit", "1");
		const again = await cli("rerun", id, "--wait");
		expect(again).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("Running train again"),
		});
		const [repeated] = await json("jobs", "--limit", "1");
		expect(repeated.id).not.toBe(id);
		const [before, after] = [await json("jobs", id), await json("jobs", repeated.id)];
		for (const field of [
			"name",
			"workers",
			"pythonVersion",
			"requirements",
			"environment",
			"queryType",
		])
			expect([field, after[field]]).toEqual([field, before[field]]);
		expect(after.rerunFrom).toBe(id);
		expect(again.stderr).toMatch(
			/files, credentials and priority were not copied, because the API does not return them/,
		);
		expect(await fails("rerun", "no-such-job")).toMatch(/has no job "no-such-job"/);
		expect(await fails("rerun", id, "--timeout", "5m")).toMatch(
			/only used together with --wait/,
		);
	});

	it("rerun does not write a mask in place of a secret", async () => {
		const id = (
			await cli("run", file("good.py"), "--env", "API_KEY=sesame")
		).stdout.trim();
		const masked = { "0.environment": { API_KEY: "********" } };
		team.server.faults.add({
			endpoint: "listJobs",
			kind: "rewrite",
			set: masked,
			times: 1,
		});
		expect(await fails("rerun", id)).toMatch(/API_KEY.*--env API_KEY=/);
		team.server.faults.add({
			endpoint: "listJobs",
			kind: "rewrite",
			set: masked,
			times: 1,
		});
		expect((await cli("rerun", id, "--env", "API_KEY=other")).code).toBe(0);
	});

	it("jobs ID says how long a job took, or has been running", async () => {
		const id = (await cli("run", file("hold.py"))).stdout.trim();
		await eventually(() => hasStatus(id, "RUNNING"));
		expect((await cli("jobs", id)).stdout).toMatch(/^Running for +\d+ s$/m);
		await cli("cancel", id);
		await eventually(() => hasStatus(id, "CANCELED"));
		expect((await cli("jobs", id)).stdout).toMatch(/^Took +\d+ s$/m);
	});

	it("logs prints what is there, and with --follow all there will be", async () => {
		const id = (await cli("run", file("hold.py"))).stdout.trim();
		await eventually(() => hasStatus(id, "RUNNING"));
		expect((await cli("logs", id)).stdout).toContain("Running hold.py\n");
		team.server.faults.add({
			endpoint: "jobLogs",
			kind: "rewrite",
			set: { logs: { lines: [] } },
			times: 1,
		});
		expect(await fails("logs", id)).toMatch(
			/^error: The service shows the log of job \S{36} in a form that cannot be read\. "pulumi-datachain logs \S{36} --follow" may be able to read it\.\n$/,
		);
		// More often than a call is tried.
		team.server.faults.add({
			endpoint: "followLogs",
			kind: "status",
			status: 503,
			times: 5,
		});
		const { printed, finished } = start("logs", id, "--follow", "--json");
		await eventually(
			() => printed.stdout.includes('"status":"RUNNING"') || undefined,
			60_000,
		);
		expect(printed.stderr).toMatch(
			/^warning: Could not follow the log .*503.* It is tried again until Ctrl-C\.\n$/,
		);
		await cli("cancel", id);
		const stdout = expect.stringMatching(
			/"line":"Canceled\\n"[\s\S]*"status":"CANCELED"/,
		);
		expect(await finished).toMatchObject({ code: 0, stdout });
	});

	it.each(["logs", "logs --follow"])(
		"%s of a job that has ended does not wait for a service that fails",
		async (command) => {
			const ended = (await json("jobs", "--status", "COMPLETE", "--limit", "1"))[0].id;
			team.server.faults.add({ endpoint: "followLogs", kind: "status", status: 503 });
			expect(await cli(...command.split(" "), ended)).toMatchObject({
				code: 1,
				stderr: expect.stringMatching(
					/^error: Could not follow the log .* after 5 attempts .*503/,
				),
			});
		},
	);

	it("logs reads what there is from a service on which no log can be followed", async () => {
		const ended = (await json("jobs", "--status", "COMPLETE", "--limit", "1"))[0].id;
		const { stdout } = await cli("logs", ended);
		team.server.faults.add({ endpoint: "followLogs", kind: "status", status: 404 });
		expect(await cli("logs", ended)).toMatchObject({ code: 0, stdout });
		const id = (await cli("run", file("hold.py"))).stdout.trim();
		expect(await cli("logs", id, "--follow")).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/^error: The log of job .* cannot be followed\./),
		});
	});

	it("trigger --wait ends with how the pipeline ends; pause and resume act on one", async () => {
		expect(await cli("trigger", "dev.images.clean", "--wait")).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(/^\S+ COMPLETED\n$/),
		});
		const bad = await cli("trigger", "dev.images.thumbnails", "--wait");
		expect(bad.code).toBe(1);
		expect(bad.stderr).toMatch(
			/Job "dev\.images\.thumbnails" .* ended as FAILED[\s\S]*no module named PIL/,
		);
		const set = { "0.environment": { KEY: "no module named PIL" } };
		team.server.faults.add({ endpoint: "listJobs", kind: "rewrite", set });
		const redacted = await cli("trigger", "dev.images.thumbnails", "--wait");
		expect(redacted.stderr).toMatch(
			/Job "dev\.images\.thumbnails" .* ended as FAILED[\s\S]*\[redacted\]/,
		);
		expect(redacted.stderr).not.toContain("no module named PIL");
		const { name } = await json(
			"trigger",
			"dev.images.raw",
			"dev.images.clean@1.0.3",
			"--paused",
		);
		expect((await cli("resume", name)).stdout).toMatch(/RUNNING|COMPLETED/);
		expect(await json("pause", name)).toMatchObject({ name, status: "PAUSED" });
		expect(
			(await cli("trigger", "dev.images.clean", "--paused", "--wait")).stderr,
		).toBe(
			"error: --paused and --wait: a paused pipeline never ends. Keep one of them.\n",
		);
		expect(await cli("trigger", "clean")).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(
				/"clean" is no dataset: write namespace\.project\.name/,
			),
		});
	});

	it("a trigger whose outcome is unknown advises what a command can do", async () => {
		team.server.faults.add({
			endpoint: "triggerPipeline",
			kind: "status",
			status: 500,
			times: 1,
		});
		const { code, stderr } = await cli("trigger", "dev.images.clean");
		expect(code).toBe(1);
		expect(stderr).toMatch(
			/ Wait a minute, then run "pulumi-datachain pipelines"\. If the list does not show it, run the command again\.$/m,
		);
		expect(stderr).not.toContain("pulumi up");
	});
});
