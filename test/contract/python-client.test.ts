import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loginFolders } from "../../src/client/connection";
import { type LocalServer, startServer } from "../../src/server";
import { must } from "../../tools/process/must";
import type { Result } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { clientOfTest } from "../helpers/api-connect";
import { pythonClient, runClient } from "../helpers/python-environment";
import { apiOf } from "../helpers/server-harness";

const isSkipped = pythonClient.isMissingFor(
	"the checks with the service's own Python client",
);

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

// Each command starts a Python that takes a second of its own, and many more on a busy machine.
describe.skipIf(isSkipped)(
	"the service's own Python client, unmodified",
	{ timeout: 240_000 },
	() => {
		let server: LocalServer;
		const { path: folder } = tempFolder("python-client-");
		let datachain: (...args: string[]) => Promise<Result>;

		beforeAll(async () => {
			const python = await pythonClient.python();
			server = await startServer({ jobStepMillis: 40 });
			const config = join(folder, "config");
			mkdirSync(config);
			// `job cancel` and `job logs` look for the token here only.
			writeFileSync(
				join(config, "config"),
				`[studio]\ntoken = "${server.token}"\nurl = "${server.url}"\n`,
			);
			writeFileSync(join(folder, "hello.py"), 'print("hello from the query")\n');
			writeFileSync(join(folder, "bad.py"), "raise SystemExit(3)\n");
			writeFileSync(join(folder, "long.py"), "# local-server: hold\n");
			writeFileSync(join(folder, "data.csv"), "a,b\n");
			const env = {
				PATH: process.env.PATH,
				HOME: folder,
				DATACHAIN_GLOBAL_CONFIG_DIR: config,
				DATACHAIN_SYSTEM_CONFIG_DIR: join(folder, "system"),
				DATACHAIN_NO_ANALYTICS: "1",
				...server.environment,
			};
			datachain = (...args) => runClient(python, args, { cwd: folder, env });
		}, 600_000);

		afterAll(() => server?.close());

		async function ok(...args: string[]): Promise<string> {
			const result = await datachain(...args);
			expect(result, `datachain ${args.join(" ")}\n${result.stderr}`).toMatchObject({
				code: 0,
			});
			return result.stdout;
		}

		async function createPipeline(): Promise<{ name: string; output: string }> {
			const output = await ok("pipeline", "create", "dev.images.final_result");
			return { name: /under name: (\S+) from/.exec(output)?.[1] ?? "", output };
		}

		it("job clusters shows every cluster", async () => {
			const table = await ok("job", "clusters");
			for (const name of ["default", "gpu", "legacy-gcp", "1/2/8"])
				expect(table).toContain(name);
		});

		it("job run follows a job to its end, and job ls lists it", async () => {
			const output = await ok("job", "run", "hello.py");
			expect(output).toContain("hello from the query");
			expect(output).toContain("Job is now in COMPLETE status");
			expect(output).toContain("No dataset versions created");
			const listed = await ok("job", "ls", "--limit", "5", "--extended");
			expect(listed).toContain(ID.exec(output)?.[0]);
			expect(listed).toContain("Running: ");
		});

		it("job run of a query that fails reports failure", async () => {
			const result = await datachain("job", "run", "bad.py");
			expect(result.stdout).toContain("Job is now in FAILED status");
			expect(result.code).toBe(1);
		});

		it("job run --no-wait uploads files and sends every option", async () => {
			const options =
				"--files data.csv --env A=1 B=2 --cluster gpu --workers 3 --req numpy --priority 2";
			const output = await ok(
				"job",
				"run",
				"hello.py",
				"--no-wait",
				...options.split(" "),
			);
			const id = ID.exec(output)?.[0];
			const job = await apiOf(server).get(`/jobs/?job_id=${id}`);
			expect(job.at("0")).toMatchObject({
				name: "hello.py",
				environment: { A: "1", B: "2" },
				compute_cluster_name: "gpu",
				workers: 3,
				requirements: "numpy",
			});
		});

		it("job run --cron makes a task", async () => {
			expect(await ok("job", "run", "hello.py", "--cron", "0 3 * * *")).toContain(
				"scheduled as a task",
			);
		});

		it("job run with an unknown cluster shows the server's message", async () => {
			const result = await datachain("job", "run", "hello.py", "--cluster", "nope");
			expect(result.code).not.toBe(0);
			expect(result.stderr).toContain('no compute cluster "nope"');
		});

		it("job cancel ends a running job, and job logs shows how it ended", async () => {
			const id = ID.exec(await ok("job", "run", "long.py", "--no-wait"))?.[0] ?? "";
			expect(await ok("job", "cancel", id)).toContain(`Job ${id} canceled`);
			const logs = await datachain("job", "logs", id);
			expect(logs.stdout).toContain("Job is now in CANCELED status");
			expect(logs.code).toBe(2);
		});

		it("pipeline create makes a paused pipeline that status and list show, and remove-job takes a job out of it", async () => {
			const { name, output } = await createPipeline();
			expect(output).toContain("from: dev.images.final_result@1.0.2 in paused state");
			const status = await ok("pipeline", "status", name);
			expect(status).toContain("Status: PAUSED");
			expect(status).toContain("Progress: 0/3 jobs completed");
			expect(
				await ok("pipeline", "list", "--status", "paused", "--search", name),
			).toContain(name);
			expect(await ok("pipeline", "list", "--search", "no-such-pipeline")).toContain(
				"No pipelines found",
			);
			const row = status.split("\n").find((line) => line.includes("final_result"));
			const id = ID.exec(row ?? "")?.[0] ?? "";
			expect(await ok("pipeline", "remove-job", name, id)).toContain(
				`Job ${id} removed from pipeline ${name}`,
			);
			expect(await ok("pipeline", "status", name)).toContain(
				"Progress: 0/2 jobs completed",
			);
		});

		it("pipeline pause stops a resumed pipeline, and resume lets it end", async () => {
			const { name } = await createPipeline();
			expect(await ok("pipeline", "resume", name)).toContain(
				`Pipeline ${name} resumed`,
			);
			expect(await ok("pipeline", "pause", name)).toContain(`Pipeline ${name} paused`);
			expect(await ok("pipeline", "status", name)).toContain("Status: PAUSED");
			await ok("pipeline", "resume", name);
			const now = async () =>
				(await apiOf(server).get(`/pipeline/status?name=${name}`)).at("status");
			await expect.poll(now, { timeout: 20_000 }).toBe("COMPLETED");
			const ended = await ok("pipeline", "status", name);
			expect(ended).toContain("Status: COMPLETED");
			expect(ended).toContain("Progress: 3/3 jobs completed");
		});

		it("a wrong team and an unknown pipeline are reported in words", async () => {
			expect((await datachain("job", "ls", "--team", "nobody")).stderr).toContain(
				"Not authorized for the team nobody",
			);
			expect((await datachain("pipeline", "status", "nope")).stderr).toContain(
				'no pipeline "nope"',
			);
		});
	},
);

/** What `datachain auth login` calls once the browser has said yes. */
const SAVE_LOGIN =
	"import sys; from datachain.studio import save_config; save_config(sys.argv[1], sys.argv[2])";
const FOLDERS =
	"from datachain.config import Config, ConfigLevel as L; print(*map(Config.get_dir, L), sep='\\n')";

// Each command starts a Python that takes a second of its own, and many more on a busy machine.
describe.skipIf(isSkipped)(
	"where the service's own client is logged in",
	{ timeout: 240_000 },
	() => {
		let server: LocalServer;
		const { path: folder } = tempFolder("login-python-");
		let python: string;
		let env: NodeJS.ProcessEnv;

		beforeAll(async () => {
			python = await pythonClient.python();
			server = await startServer({ teamName: 'R&D "images" ü' });
			env = { PATH: process.env.PATH, HOME: folder, DATACHAIN_NO_ANALYTICS: "1" };
		}, 600_000);
		afterAll(() => server?.close());

		const run = (script: string, ...args: string[]) =>
			must(python, ["-c", script, ...args], { cwd: folder, env });

		it("the folders are the ones it reads", async () => {
			for (const more of [
				{},
				{ XDG_CONFIG_HOME: join(folder, "x"), DATACHAIN_ROOT_DIR: join(folder, "r") },
			]) {
				env = { ...env, ...more };
				const theirs = (await run(FOLDERS)).trim().split("\n");
				expect(loginFolders(env, process.platform, folder)).toEqual(theirs);
			}
		});

		it("nothing more is needed to reach the team", async () => {
			await run(SAVE_LOGIN, server.url, server.token);
			const team = await runClient(python, ["auth", "team", server.teamName], {
				cwd: folder,
				env,
			});
			expect(team).toMatchObject({ code: 0 });
			const client = clientOfTest(env);
			expect((await client.schedules.list()).length).toBeGreaterThan(0);
			expect(client.teamName).toBe(server.teamName);
		});
	},
);
