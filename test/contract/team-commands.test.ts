import { describe, expect, it } from "vitest";
import { newJob } from "../../src/server/state";
import { teamCli } from "../helpers/cli-process";
import { apiOf, seededServer } from "../helpers/server-harness";

const SECRET = "sesame-open-42";
const PASSWORD = "hunter2-of-git";
const NOBODY = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff";

describe("commands about a team", { timeout: 120_000 }, () => {
	const team = teamCli({
		"train.py": 'print("hello")\n',
		"hold.py": "# local-server: hold\n",
	});
	const { cli, cliAt, fails, json, file, written, jobOf } = team;

	it.each([
		[
			"jobs",
			"COMPLETED",
			/^error: Team "vision" has no job with status "COMPLETED"\. Did you mean "COMPLETE"/,
		],
		[
			"jobs",
			"NOPE",
			/"NOPE"\. A job's status is .*CREATED, .*COMPLETE, .*, or a group: ACTIVE, INACTIVE\./,
		],
		[
			"pipelines",
			"NOPE",
			/A pipeline's status is PENDING, RUNNING, COMPLETED, FAILED, PAUSED, CANCELED\./,
		],
	])(
		"%s --status %s is an error that names the statuses",
		async (command, status, message) => {
			expect(await fails(command, "--status", status)).toMatch(message);
		},
	);

	it("--status takes any case of a status, and finding nothing is no error", async () => {
		expect(await json("jobs", "--status", "complete")).not.toEqual([]);
		expect(await cli("jobs", "--status", "provisioning")).toMatchObject({
			code: 0,
			stdout: "No jobs.\n",
		});
		const found = await json("pipelines", "--status", "paused", "--status", "FAILED");
		expect(new Set(found.map(({ status }: { status: string }) => status))).toEqual(
			new Set(["PAUSED", "FAILED"]),
		);
	});

	it("clusters lists the compute clusters", async () => {
		expect((await cli("clusters")).stdout).toMatch(
			/^ID +NAME +STATUS +DEFAULT +WORKERS \(BUSY\/ACTIVE\/MAX\) +PROVIDER +REGION +INSTANCE\n/,
		);
		expect(await json("clusters")).toContainEqual(
			expect.objectContaining({
				name: "gpu",
				status: "ACTIVE",
				maxWorkers: expect.any(Number),
			}),
		);
	});

	it("schedules lists them with their meaning, and shows one by its name or its id", async () => {
		const made = {
			schedule_name: "every-morning",
			pipeline_name: "rusty-vise",
			cron_expression: "0 7 * * 1-5",
		};
		const id = (await apiOf(team.server).post("/pipeline/create-schedule", made)).at(
			"schedule.id",
		);
		expect((await cli("schedules")).stdout).toMatch(
			/every-morning +0 7 \* \* 1-5 +Monday to Friday at 07:00 UTC +\d{4}-\d\d-\d\d 07:00 +rusty-vise .* developer/,
		);
		const one = await json("schedules", "every-morning");
		expect(one).toMatchObject({
			id,
			meaning: "Monday to Friday at 07:00 UTC",
			pipeline: { name: "rusty-vise", status: "FAILED" },
		});
		expect(one.nextRuns).toHaveLength(5);
		expect(one.nextRuns[0]).toBe(one.nextRun);
		for (const run of one.nextRuns) expect(run).toMatch(/T07:00:00/);
		expect(await json("schedules", String(id))).toEqual(one);
		await cli("pause", "rusty-vise");
		expect((await cli("schedules", "every-morning")).stdout).toMatch(
			/Pipeline +rusty-vise \(PAUSED: the schedule does not run it\)/,
		);
		await cli("resume", "rusty-vise");
	});

	it("schedules names the schedule that was probably meant, and the ids of several of one name", async () => {
		const made = {
			schedule_name: "double",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		};
		for (const _ of [1, 2])
			await apiOf(team.server).post("/pipeline/create-schedule", made);
		expect(await fails("schedules", "doubel")).toMatch(
			/^error: Team "vision" has no schedule "doubel"\. Did you mean "double"\? "pulumi-datachain schedules" lists them all\.\n$/,
		);
		expect(await fails("schedules", "double")).toMatch(
			/^error: Team "vision" has 2 schedules named "double", with the ids \d+ and \d+\. Use the id\.\n$/,
		);
	});

	it("jobs ID shows one job: settings with the names of variables, no values and no passwords", async () => {
		const { id } = await json(
			...["run", file("hold.py"), "--env", `API_KEY=${SECRET}`, "--req", "numpy"],
			...["--repository", `https://bot:${PASSWORD}@git.example.com/x.git`],
		);
		team.server.faults.add({
			endpoint: "listJobs",
			kind: "rewrite",
			set: { "0.error_message": `login with ${SECRET} failed` },
		});
		const text = await cli("jobs", id);
		const one = await json("jobs", id);
		expect(text.stdout).toMatch(/^Job +hold\.py\nId +\S{36}\nStatus +\w+\n/);
		expect(text.stdout).toMatch(/^Environment +API_KEY.*$/m);
		expect(one).toMatchObject({
			id,
			requirements: ["numpy"],
			repository: "https://***@git.example.com/x.git",
		});
		expect(one.environment).toContain("API_KEY");
		expect(one.error).toBe("login with [redacted] failed");
		for (const shown of [text.stdout, JSON.stringify(one)])
			expect(shown).not.toMatch(new RegExp(`${SECRET}|${PASSWORD}`));
		await cli("cancel", id);
	});

	it("pipelines NAME shows settings with the names of variables, schedules and their last runs", async () => {
		await apiOf(team.server).post("/pipeline/settings", {
			pipeline_name: "nightly-images",
			environment: `API_KEY=${SECRET}`,
			repository: `https://bot:${PASSWORD}@git.example.com/x.git`,
			requirements: `git+https://bot:${PASSWORD}@git.example.com/y.git`,
			workers: 3,
		});
		const text = (await cli("pipelines", "nightly-images")).stdout;
		const one = await json("pipelines", "nightly-images");
		expect(one.settings).toMatchObject({ environment: ["API_KEY"], workers: 3 });
		expect(one.schedules[0]).toMatchObject({
			meaning: expect.any(String),
			latestRun: expect.anything(),
		});
		expect(text).toMatch(/^Environment +API_KEY$/m);
		expect(text).toMatch(/^SCHEDULE +ID +MEANS +NEXT RUN \(UTC\) +LAST RUN\n/m);
		expect(text + JSON.stringify(one)).not.toMatch(new RegExp(`${SECRET}|${PASSWORD}`));
	});

	it("the error of a pipeline holds no secret of its jobs, and is not shown if they cannot be read", async () => {
		team.server.faults.add({
			endpoint: "pipelineStatus",
			kind: "rewrite",
			set: { error_message: `login with ${SECRET} failed` },
		});
		const list = { endpoint: "listJobs" } as const;
		team.server.faults.add({
			...list,
			kind: "rewrite",
			set: { "0.environment": { API_KEY: SECRET } },
		});
		const text = (await cli("pipelines", "nightly-images")).stdout;
		expect(text).toMatch(/^Error +login with \[redacted\] failed$/m);
		expect((await json("pipelines", "nightly-images")).error).toBe(
			"login with [redacted] failed",
		);
		team.server.faults.add({ ...list, kind: "status", status: 403 });
		const { code, stdout, stderr } = await cli("pipelines", "nightly-images");
		expect(code).toBe(0);
		expect(stdout).toMatch(/^Error +\[redacted\]$/m);
		expect(stderr).toMatch(
			/^warning: A pipeline's error is not shown, because .* could not be read: .*403/,
		);
	});

	it("pipelines NAME is shown without its schedules if they cannot be read", async () => {
		team.server.faults.add({ endpoint: "listSchedules", kind: "status", status: 403 });
		const { code, stdout, stderr } = await cli("pipelines", "nightly-images", "--json");
		expect([code, JSON.parse(stdout)]).toMatchObject([
			0,
			{ name: "nightly-images", schedules: null },
		]);
		expect(stderr).toMatch(/^warning: The schedules could not be read: .*403/);
	});

	it("remove-job takes a job by its id or its name, and only out of a paused pipeline", async () => {
		const { name, jobs } = await json("trigger", "dev.images.clean", "--paused");
		const [first, second] = jobs;
		expect(await json("remove-job", name, first.id)).toMatchObject({
			name,
			total: jobs.length - 1,
		});
		expect(await cli("remove-job", name, second.name)).toMatchObject({
			code: 0,
			stdout: expect.stringMatching(
				/^Removed job "\S+" \(\S{36}\) from pipeline "\S+"\.\n$/,
			),
		});
		expect(await fails("remove-job", name, "dev.images.row")).toMatch(
			/has no job "dev\.images\.row"\./,
		);
		expect(await fails("remove-job", "rusty-vise", "dev.images.thumbnails")).toMatch(
			/^error: Pipeline "rusty-vise" is FAILED, and a job can be removed only from a paused pipeline\. "pulumi-datachain pause rusty-vise" pauses it\.\n$/,
		);
		expect(await fails("remove-job", "rusty-vice", "x")).toMatch(
			/has no pipeline "rusty-vice"/,
		);
	});

	it("remove-job takes a name only if one job that can be removed has it", async () => {
		const { name, jobs } = await json("trigger", "dev.images.clean", "--paused");
		const [first, second] = jobs;
		const removing = (job: string, set: object) => {
			team.server.faults.add({
				endpoint: "pipelineStatus",
				kind: "rewrite",
				set: { ...set },
				times: 1,
			});
			return ["remove-job", name, job];
		};
		expect(
			await fails(...removing(second.name, { "job_runs.0.name": second.name })),
		).toBe(
			`error: Pipeline "${name}" has 2 jobs "${second.name}", and a removed job cannot be added again: ` +
				`${first.id} (PENDING), ${second.id} (PENDING). Give the id of one.\n`,
		);
		const running = { "job_runs.0.name": second.name, "job_runs.0.status": "RUNNING" };
		const only = await json(...removing(second.name, running));
		expect(only.removed).toEqual({ id: second.id, name: second.name });
	});

	it("resume and remove-job do not say that nothing was done if the pipeline cannot be read afterwards", async () => {
		const { name } = await json("trigger", "dev.images.clean", "--paused");
		const unreadAfterwards = () =>
			team.server.faults.add({
				endpoint: "pipelineStatus",
				kind: "status",
				status: 403,
				skip: 1,
			});
		const unknown = (request: string) =>
			new RegExp(
				`^error: The request to ${request} was sent, but its outcome is unknown: Could not get .* 403, .* "pulumi-datachain pipelines ${name}" shows it\\.\n$`,
			);
		unreadAfterwards();
		expect(await fails("remove-job", name, "dev.images.clean")).toMatch(
			unknown(`remove job "dev.images.clean" from pipeline "${name}"`),
		);
		team.server.faults.clear();
		unreadAfterwards();
		expect(await fails("resume", name)).toMatch(unknown(`resume pipeline "${name}"`));
	});

	it("run takes variables and packages from files, options first", async () => {
		const env = written("job.env", "# comment\n\nA=from file\nB=two=2\r\n");
		const req = written("requirements.txt", "numpy\n\n# images\npillow # fast\n");
		const { id } = await json(
			...["run", file("train.py"), "--env-file", env, "--env", "A=from option"],
			...["--req-file", req, "--req", "torch", "--ignore-checkpoints"],
		);
		expect(await jobOf(id)).toMatchObject({
			environment: { A: "from option", B: "two=2" },
			requirements: "numpy\n# images\npillow # fast\ntorch",
		});
	});

	it("run names the line of a file that is no variable, without its text, and a file that is not there", async () => {
		const bad = written("bad.env", `A=1\n${SECRET}\n`);
		const message = await fails("run", file("train.py"), "--env-file", bad);
		expect(message).toMatch(
			/^error: --env-file: line 2 of ".*bad\.env" is not NAME=VALUE\.\n$/,
		);
		expect(message).not.toContain(SECRET);
		expect(
			await fails("run", file("train.py"), "--req-file", file("none.txt")),
		).toMatch(/^error: --req-file: ".*none\.txt" cannot be read \(ENOENT\)\.\n$/);
	});

	it.each(["cancel", "logs", "jobs"])(
		"%s says what is no job, and where the ids are",
		async (command) => {
			expect(await fails(command, "nope")).toBe(
				'error: Team "vision" has no job "nope". A job id is a UUID; "pulumi-datachain jobs" lists the newest jobs with their ids.\n',
			);
			expect(await fails(command, NOBODY)).toContain(
				`error: Team "vision" has no job "${NOBODY}".`,
			);
			const all: { id: string; name: string }[] = await json("jobs", "--limit", "100");
			const id = all.find(({ name }) => name === "backfill.py")?.id;
			expect(await fails(command, "backfill.py")).toContain(
				` That is the name of job ${id} (`,
			);
		},
	);

	it("logs prints no value of the job's environment", async () => {
		const script = written("leak.py", `print("the key is ${SECRET}")\n`);
		const { id } = await json("run", script, "--env", `API_KEY=${SECRET}`, "--wait");
		const { stdout } = await cli("logs", id);
		expect(stdout).toContain("the key is [redacted]\n");
		expect((await cli("logs", id, "--json")).stdout).not.toContain(SECRET);
	});

	it.each([
		[["job"], /unknown command 'job'\n\(Did you mean jobs\?\)/],
		[["jobs", "--limt", "3"], /unknown option '--limt'\n\(Did you mean --limit\?\)/],
		[
			["pipelines", "rusty-vice"],
			/has no pipeline "rusty-vice"\. Did you mean "rusty-vise"\? It has (?!.*Did you)/,
		],
	])("%j is answered with what was probably meant", async (args, message) => {
		expect(await fails(...args)).toMatch(message);
	});

	it.each([
		[
			["jobs", "--team", ""],
			/^error: --team is empty\. Write a value, or leave it out\.\n$/,
		],
		[["pause", ""], /^error: pipeline is empty\. Write a value\.\n$/],
		[["cancel", "some-job", " "], /^error: job is empty\. Write a value\.\n$/],
		[
			["schedules", ""],
			/^error: schedule is empty\. Write a value, or leave it out\.\n$/,
		],
		[
			["pipelines", "rusty-vise", "--limit", "3"],
			/^error: --limit is for the list\. Leave it out, or leave out "/,
		],
		[
			["run", "x.py", "--timeout", "30m"],
			/^error: --timeout is only used together with --wait\./,
		],
		[
			["run", "x.py", "--on-interrupt", "cancel"],
			/^error: --on-interrupt cancel is only used together/,
		],
		[
			["drift", "--fail-on", "everything"],
			/^error: --fail-on takes a list of changed, missing, unmanaged/,
		],
		[["drift", "--json", "--markdown"], /^error: .* Keep one of them\./],
		[["drift", "--watch", "1s"], /from 5s to 24h/],
		[["forecast", "--days", "0"], /Write a number from 1 to 366/],
		[
			["jobs", "--limit", "0"],
			/^error: option '--limit <number>' argument '0' .* Write a whole number, 1 or more\.\n/,
		],
		[
			["serve", "--port", "70000"],
			/^error: option '--port <number>' .* Write a number from 0 to 65535\.\n/,
		],
		[
			["forecast", "--time-zone", "Berlin"],
			/^error: --time-zone: .* Did you mean "Europe\/Berlin"/,
		],
		[["forecast", "--from", "yesterday"], /^error: --from must be a date-time/],
		[["forecast", "--markdown"], /^error: --markdown is for --compare/],
		[["forecast", "--live", "--compare"], /^error: --live forecasts the whole team/],
		[
			["forecast", "--compare", "--time-zone", "Europe/Berlin"],
			/^error: --time-zone is for a forecast/,
		],
	])("%j is refused with the reason", async (args, message) => {
		expect(await fails(...args)).toMatch(message);
	});

	it("jobs and pipelines say that there may be more than they list, unless --limit was given", async () => {
		// A status that only the service knows is taken if a job has it.
		const one = {
			query: "1",
			created_at: "1970-01-01",
			created_by: "x",
			status: "RESTING",
		};
		const jobs = Array.from({ length: 21 }, (_, at) =>
			newJob({ name: `job-${at}.py`, ...one }),
		);
		const server = await seededServer({ jobs });
		for (const form of [[], ["--json"]])
			expect((await cliAt(server, "jobs", "--status", "resting", ...form)).stderr).toBe(
				"These are the newest 20 jobs, and there may be more; --limit lists them.\n",
			);
		expect((await cliAt(server, "jobs", "--limit", "20")).stderr).toBe("");
		expect((await cliAt(server, "pipelines")).stderr).toBe("");
	});
});
