import { spawnSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../tools/repository";
import { runCli } from "../helpers/cli";
import { startServe } from "../helpers/cli-process";
import { apiOf, eventually, testServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const scratch = () => testFolder("server-cli-");

describe("pulumi-datachain serve", { timeout: 120_000 }, () => {
	it("prints the three lines to paste and nothing else, serves the team, and ends on Ctrl-C with 0", async () => {
		const server = await startServe();
		expect(server.printed.stdout).toMatch(
			/^export DATACHAIN_STUDIO_URL=http:\/\/127\.0\.0\.1:\d+\nexport DATACHAIN_STUDIO_TOKEN=\S{20,}\nexport DATACHAIN_STUDIO_TEAM=vision\n$/,
		);
		const api = apiOf(server);
		expect((await api.get("/pipeline/schedules")).at("0.created_by.username")).toBe("ops-oncall");
		server.interrupt();
		expect(await server.finished).toMatchObject({ code: 0, stderr: "" });
	});

	it("takes a team, starts empty, and logs requests without secrets when asked to", async () => {
		const clock = "2026-03-01T00:00:00Z";
		const server = await startServe("--team", "audio", "--empty", "--verbose", "--clock", clock);
		expect(server.team).toBe("audio");
		const api = apiOf(server);
		expect((await api.get("/clusters/?team_name=audio")).json).toEqual([]);
		const job = await api.post("/jobs/", {
			query: "x",
			query_type: "PYTHON",
			environment: "PASSWORD=hunter2-secret",
		});
		expect(job.at("created_at")).toBe("2026-03-01T00:00:00.000000+00:00");
		const { printed } = server;
		await eventually(() => /POST \/api\/datachain\/jobs\/ 200 \d+ms\n/.test(printed.stderr) || undefined);
		expect(printed.stderr).toMatch(/^GET \/api\/datachain\/clusters\/ 200 \d+ms\n/);
		expect(printed.stderr).not.toContain("hunter2-secret");
		expect(printed.stderr).not.toContain(server.token);
		process.kill(server.pid ?? 0, "SIGTERM");
		expect((await server.finished).code).toBe(0);
	});

	it("keeps port, token, team and data with one flag, and says in any shell where it runs", async () => {
		const folder = join(scratch(), "a folder");
		const team = "R&D's";
		const first = await startServe("--keep", folder, "--team", team);
		const made = { schedule_name: "kept", pipeline_name: "rusty-vise", cron_expression: "@daily" };
		expect((await apiOf(first).post("/pipeline/create-schedule", made)).status).toBe(200);
		const shell = `eval "$('${process.execPath}' dist/commands/main.js serve --keep '${folder}' --env)"; echo "$DATACHAIN_STUDIO_URL $DATACHAIN_STUDIO_TOKEN $DATACHAIN_STUDIO_TEAM"`;
		const evaluated = spawnSync("sh", ["-c", shell], { encoding: "utf8" });
		expect(evaluated.stdout, evaluated.stderr).toBe(`${first.url} ${first.token} ${team}\n`);
		// The shell takes what is on stdout; the page's address must not be lost with it, nor its key kept in a log.
		expect(evaluated.stderr).toBe(
			`To see the team, open ${first.url}/ (a terminal shows the whole address)\n`,
		);
		expect(statSync(join(folder, "connection.json")).mode & 0o077).toBe(0);
		first.interrupt();
		const { stdout } = await first.finished;
		const second = await startServe("--keep", folder);
		expect(second.printed.stdout).toBe(stdout);
		const schedules = await apiOf(second).get("/pipeline/schedules");
		expect(JSON.stringify(schedules.json)).toContain('"kept"');
	});

	it("says in one sentence what is wrong, and ends with 1", async () => {
		const other = await testServer();
		const port = new URL(other.url).port;
		const blank = join(scratch(), "token");
		writeFileSync(blank, "has spaces in it\n");
		const edited = scratch();
		const kept = { ...other.environment, DATACHAIN_STUDIO_URL: "http://127.0.0.1:99999" };
		writeFileSync(join(edited, "connection.json"), JSON.stringify(kept));
		const wrong: [string[], RegExp][] = [
			[["--port", port], new RegExp(`^error: Port ${port} on 127.0.0.1 is in use\\..*\\n$`)],
			[["--host", "0.0.0.0"], /^error: Other machines may be able to reach "0.0.0.0".*--allow-remote.*\n$/],
			[["--token-file", blank], /^error: The token file .* must hold one token.*\n$/],
			[["--data", join(edited, "no", "x")], /^error: The folder of the data file .* does not exist.*\n$/],
			[["--env"], /^error: --env prints .* Add --keep FOLDER\.\n$/],
			[
				["--keep", scratch(), "--data", "x.json"],
				/^error: --keep keeps .* Leave out --data and --token-file\.\n$/,
			],
			[["--keep", edited], /^error: The file ".*connection\.json" cannot be read\. Remove it.*\n$/],
		];
		const place = { folder: repository, env: process.env };
		const results = await Promise.all(wrong.map(([args]) => runCli(place, ["serve", ...args])));
		for (const [at, [, text]] of wrong.entries()) {
			expect(results[at]).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(text) });
		}
	});
});
