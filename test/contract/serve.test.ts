import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { resolveConnection } from "../../src/client";
import { define } from "../../src/commands/serve";
import { ServerFolder } from "../../src/commands/server-folder";
import { endpoints } from "../../src/schemas/endpoints";
import { type MakeRootPage, startServer } from "../../src/server";
import { repository } from "../../tools/repository";
import { runCli } from "../helpers/cli";
import { startServe } from "../helpers/cli-process";
import {
	type Api,
	apiOf,
	bearer,
	eventually,
	send,
	testServer,
} from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const scratch = () => testFolder("serve-");
const made = (schedule_name: string) => ({
	schedule_name,
	pipeline_name: "rusty-vise",
	cron_expression: "@daily",
});
const create = (api: Api, name: string) =>
	api.post("/pipeline/create-schedule", made(name));

describe("pulumi-datachain serve", { timeout: 120_000 }, () => {
	it("prints the three lines to paste and nothing else, serves the team, and ends on Ctrl-C with 0", async () => {
		const server = await startServe();
		expect(server.printed.stdout).toMatch(
			/^export DATACHAIN_STUDIO_URL=http:\/\/127\.0\.0\.1:\d+\nexport DATACHAIN_STUDIO_TOKEN=\S{20,}\nexport DATACHAIN_STUDIO_TEAM=vision\n$/,
		);
		const api = apiOf(server);
		expect((await api.get("/pipeline/schedules")).at("0.created_by.username")).toBe(
			"ops-oncall",
		);
		server.interrupt();
		// Without a terminal the page's address is beside the settings, without the key that a log might keep.
		const page = `The team's page is at ${server.url}/. "pulumi-datachain board" opens it with these settings.\n`;
		expect(await server.finished).toMatchObject({ code: 0, stderr: page });
	});

	it("takes a team, starts empty, and logs requests without secrets when asked to", async () => {
		const clock = "2026-03-01T00:00:00Z";
		const server = await startServe(
			"--team",
			"audio",
			"--empty",
			"--verbose",
			"--clock",
			clock,
		);
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
		await eventually(
			() =>
				/POST \/api\/datachain\/jobs\/ 200 \d+ms\n/.test(printed.stderr) || undefined,
		);
		expect(printed.stderr).toMatch(/^GET \/api\/datachain\/clusters\/ 200 \d+ms\n/m);
		expect(printed.stderr).not.toContain("hunter2-secret");
		expect(printed.stderr).not.toContain(server.token);
		process.kill(server.pid ?? 0, "SIGTERM");
		expect((await server.finished).code).toBe(0);
	});

	it("keeps port, token, team and data with one flag, and says in any shell where it runs", async () => {
		const folder = join(scratch(), "a folder");
		const team = "R&D's";
		const first = await startServe("--keep", folder, "--team", team);
		expect((await create(apiOf(first), "kept")).status).toBe(200);
		const shell = `eval "$('${process.execPath}' dist/commands/main.js serve --keep '${folder}' --env)"; echo "$DATACHAIN_STUDIO_URL $DATACHAIN_STUDIO_TOKEN $DATACHAIN_STUDIO_TEAM"`;
		const evaluated = spawnSync("sh", ["-c", shell], { encoding: "utf8" });
		expect(evaluated.stdout, evaluated.stderr).toBe(
			`${first.url} ${first.token} ${team}\n`,
		);
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

	it.each([[[]], [["--port", "0"]]])(
		"does not start a second time on one folder: %j",
		async (port) => {
			const folder = join(scratch(), "kept");
			const { url } = await startServe("--keep", folder);
			const place = { folder: repository, env: process.env };
			expect(await runCli(place, ["serve", "--keep", folder, ...port])).toMatchObject({
				code: 1,
				stdout: "",
				stderr: `error: The server of --keep "${folder}" runs at ${url} already. --env prints its settings, and --stop ends it.\n`,
			});
		},
	);

	it("is ended by --stop, also if a shell knows only the process around it", async () => {
		const folder = join(scratch(), "kept");
		const server = await startServe("--keep", folder);
		const place = { folder: repository, env: process.env };
		const stopped = await runCli(place, ["serve", "--keep", folder, "--stop"]);
		expect(stopped).toMatchObject({
			code: 0,
			stdout: "",
			stderr: `The server at ${server.url} has ended.\n`,
		});
		expect((await server.finished).code).toBe(0);
		const again = await runCli(place, ["serve", "--keep", folder, "--stop"]);
		expect(again).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/^error: No server runs with --keep/),
		});
		const alone = await runCli(place, ["serve", "--stop"]);
		expect(alone).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/Add --keep FOLDER\.\n$/),
		});
	});

	it("says in one sentence what is wrong, and ends with 1", async () => {
		const other = await testServer();
		const port = new URL(other.url).port;
		const blank = join(scratch(), "token");
		writeFileSync(blank, "has spaces in it\n");
		const edited = scratch();
		const kept = {
			...other.environment,
			DATACHAIN_STUDIO_URL: "http://127.0.0.1:99999",
		};
		writeFileSync(join(edited, "connection.json"), JSON.stringify(kept));
		const wrong: [string[], RegExp][] = [
			[
				["--port", port],
				new RegExp(`^error: Port ${port} on 127.0.0.1 is in use\\..*\\n$`),
			],
			[
				["--host", "0.0.0.0"],
				/^error: Other machines may be able to reach "0.0.0.0".*--allow-remote.*\n$/,
			],
			[["--token-file", blank], /^error: The token file .* must hold one token.*\n$/],
			[
				["--data", join(edited, "no", "x")],
				/^error: The folder of the data file .* does not exist.*\n$/,
			],
			[["--env"], /^error: --env prints .* Add --keep FOLDER\.\n$/],
			[
				["--keep", scratch(), "--data", "x.json"],
				/^error: --keep keeps .* Leave out --data and --token-file\.\n$/,
			],
			[
				["--keep", edited],
				/^error: The file ".*connection\.json" cannot be read\. Remove it.*\n$/,
			],
		];
		const place = { folder: repository, env: process.env };
		const results = await Promise.all(
			wrong.map(([args]) => runCli(place, ["serve", ...args])),
		);
		for (const [at, [, text]] of wrong.entries()) {
			expect(results[at]).toMatchObject({
				code: 1,
				stdout: "",
				stderr: expect.stringMatching(text),
			});
		}
	});
});

test("somebody else in a team can send any request, past HTTP and its faults", async () => {
	const server = await testServer({ faults: true });
	server.faults.add({ kind: "status", status: 403 });
	const name = "by somebody else";
	const body = {
		schedule_name: name,
		pipeline_name: "rusty-vise",
		cron_expression: "@daily",
	};
	const { schedule } = server.team("vision").request("createSchedule", body);
	expect(schedule).toMatchObject({
		schedule_name: name,
		created_by: { username: "colleague" },
	});
	expect(server.team("vision").request("listSchedules", {})).toContainEqual(
		expect.objectContaining({ id: schedule?.id }),
	);
	expect((await server.api.get("/pipeline/schedules")).status).toBe(403);
});

describe("a data file", () => {
	const dataFile = () => join(scratch(), "team.json");

	it("brings back everything that there was, without the token", async () => {
		const options = { dataFile: dataFile(), token: "a-secret-token" };
		const first = await testServer(options);
		await create(first.api, "kept");
		const environment = "__proto__=x\nA=1";
		await first.api.post("/pipeline/settings", {
			pipeline_name: "rusty-vise",
			environment,
			workers: 9,
		});
		const shown = async (api: Api) => {
			const paths = [
				"/pipeline/schedules",
				"/pipeline/list",
				"/jobs/?limit=1000",
				"/clusters/",
			];
			const replies = await Promise.all(paths.map((path) => api.get(path)));
			return replies.map(({ text }) => text.replaceAll(/http:\/\/[\d.:]+/g, ""));
		};
		const before = await shown(first.api);
		await first.close();
		const { api } = await testServer(options);
		expect(await shown(api)).toEqual(before);
		expect((await create(api, "next")).at("schedule.id")).toBe(3);
		expect(readFileSync(options.dataFile, "utf8")).not.toContain("a-secret-token");
		expect(statSync(options.dataFile).mode & 0o077).toBe(0);
	});

	it("that is not the server's own is refused, and left as it is", async () => {
		const file = dataFile();
		const other = JSON.stringify({
			format: 3,
			nextFileId: 1,
			nextScheduleId: 1,
			teams: [],
		});
		for (const [content, why] of [
			["not json", /was not written by this server, or is damaged/],
			['{"format": 2}', /was not written by this server, or is damaged/],
			[other, /was written by another version of pulumi-datachain/],
			[
				JSON.stringify({
					...JSON.parse(other),
					format: 2,
					teams: [{ name: "ml", schedules: [{}] }],
				}),
				/was not written by this server, or is damaged/,
			],
		] as const) {
			writeFileSync(file, content);
			await expect(startServer({ dataFile: file })).rejects.toThrow(why);
			expect(readFileSync(file, "utf8")).toBe(content);
		}
		writeFileSync(file, "");
		await (await startServer({ dataFile: file })).close();
	});

	it("of an earlier version lacks a collection that was added since, which is then empty", async () => {
		const options = { dataFile: dataFile(), team: "vision" };
		const first = await testServer(options);
		await create(first.api, "kept");
		await first.close();
		const saved = JSON.parse(readFileSync(options.dataFile, "utf8"));
		for (const collection of ["files", "jobs", "datasets", "clusters"])
			delete saved.teams[0][collection];
		writeFileSync(options.dataFile, JSON.stringify(saved));
		const { api } = await testServer(options);
		expect((await api.get("/pipeline/schedules")).text).toContain('"kept"');
		expect([
			(await api.get("/jobs/")).json,
			(await api.get("/clusters/")).json,
		]).toEqual([[], []]);
		const job = { query: "print(1)", query_type: "PYTHON", query_name: "new.py" };
		expect((await api.post("/jobs/", job)).status).toBe(200);
	});

	it("keeps what another server has saved in it", async () => {
		const file = dataFile();
		const first = await startServer({ dataFile: file });
		const second = await testServer({ dataFile: file });
		expect((await create(second.api, "second")).status).toBe(200);
		expect((await create(apiOf(first), "first")).status).toBe(500);
		await expect(first.close()).rejects.toThrow(
			`"${file}" was changed by another program`,
		);
		await second.close();
		expect(readFileSync(file, "utf8")).toContain('"second"');
	});

	it("that cannot be written is no success, and works again once it can", async () => {
		const file = dataFile();
		const log: string[] = [];
		const { api } = await testServer({ dataFile: file, log: (line) => log.push(line) });
		const folder = join(file, "..");
		renameSync(folder, `${folder}.away`);
		expect(await create(api, "lost")).toMatchObject({
			status: 500,
			json: { message: expect.any(String) },
		});
		expect(log.join("\n")).toContain(
			`The data file "${file}" cannot be written (ENOENT). Make room for it`,
		);
		renameSync(`${folder}.away`, folder);
		expect((await create(api, "saved")).status).toBe(200);
		expect(readFileSync(file, "utf8")).toContain('"saved"');
	});
});

it("faults and the clock can be switched over HTTP, by whoever may write and only if the user allows it", async () => {
	const tokens = [
		{ token: "reader", user: "r", teams: ["vision"], read: true, write: false },
	];
	const { url, token, api } = await testServer({ faults: true, tokens });
	const call = async (what: string, method: string, body: unknown, headers: object) => {
		const init = {
			method,
			headers: { ...headers },
			...(body !== undefined && { body: JSON.stringify(body) }),
		};
		return (await send(`${url}/api/_test/${what}`, init)).status;
	};
	const rule = { kind: "status", status: 502, endpoint: "listClusters" };
	expect(await call("faults", "POST", rule, {})).toBe(401);
	expect(await call("faults", "POST", rule, bearer("reader"))).toBe(403);
	expect(await call("faults", "POST", { kind: "explode" }, bearer(token))).toBe(400);
	expect(await call("faults", "POST", rule, bearer(token))).toBe(200);
	expect((await api.get("/clusters/")).status).toBe(502);
	expect(await call("faults", "DELETE", undefined, bearer(token))).toBe(200);
	expect((await api.get("/clusters/")).status).toBe(200);
	expect(await call("clock", "POST", { advance_ms: 60_000 }, {})).toBe(401);
	expect(await call("clock", "POST", { set: "never" }, bearer(token))).toBe(400);
	expect(await call("clock", "POST", { advance_ms: 60_000 }, bearer(token))).toBe(200);
	expect(
		(await api.post("/jobs/", { query: "x", query_type: "PYTHON" })).at("created_at"),
	).toMatch(/T00:01:00/);
	const plain = await testServer();
	const init = {
		method: "POST",
		headers: bearer(plain.token),
		body: JSON.stringify(rule),
	};
	expect((await send(`${plain.url}/api/_test/faults`, init)).status).toBe(404);
});

it("the OpenAPI document is valid, needs no token, and has every endpoint with its parameters", async () => {
	const { url } = await testServer({ empty: true });
	const { json } = await send(`${url}/api/openapi.json`);
	const { Validator } = await import("@seriousme/openapi-schema-validator");
	const document = json as {
		paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
	};
	expect(await new Validator().validate(structuredClone(document))).toEqual({
		valid: true,
	});
	for (const [name, { path, method, query }] of Object.entries(endpoints)) {
		const operation = document.paths[path]?.[method.toLowerCase()];
		expect(operation, name).toMatchObject({ operationId: name });
		const parameters = operation?.parameters.map((parameter) => parameter.name);
		expect(parameters, name).toEqual(expect.arrayContaining(Object.keys(query)));
	}
});

it("the OpenAPI document has no pattern with a class of Unicode, which Python's expressions do not know", async () => {
	const { url, api } = await testServer();
	const { text } = await send(`${url}/api/openapi.json`);
	const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
		([, pattern = ""]) => JSON.parse(pattern),
	);
	expect(patterns.length).toBeGreaterThan(0);
	expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern))).toEqual([]);
	const [pattern] = patterns.filter((each) => each.includes("u001f"));
	for (const [name, isRight] of [
		["a\u0085", false],
		["ü \u00a0x", true],
		["\u001f", false],
	] as const) {
		expect(new RegExp(pattern, "u").test(name)).toBe(isRight);
		const { status } = await api.get(
			`/clusters/?team_name=${encodeURIComponent(name)}`,
		);
		// A name that may be one belongs to a team that the token does not see.
		expect(status).toBe(isRight ? 403 : 400);
	}
});

it.each([
	["DELETE", "/api/datachain/jobs/", "GET, HEAD, POST"],
	["PUT", "/api/datachain/jobs/an-id/cancel", "POST"],
	["POST", "/api/datachain/pipeline/list", "GET, HEAD"],
	["POST", "/api/openapi.json", "GET, HEAD"],
])(
	"%s %s is answered with 405, and Allow names the methods of the path",
	async (method, path, allow) => {
		const { url, token } = await testServer();
		const { status, headers, at } = await send(`${url}${path}`, {
			method,
			headers: bearer(token),
		});
		expect([status, headers.get("allow"), typeof at("message")]).toEqual([
			405,
			allow,
			"string",
		]);
		const near = path.replace("/api/", "/api/no/");
		expect(
			(await send(`${url}${near}`, { method, headers: bearer(token) })).status,
		).toBe(404);
	},
);

test("if no server runs with the folder, the error says how to start one", async () => {
	const folder = testFolder("kept server-");
	await expect(new ServerFolder(folder).running(0)).rejects.toThrow(
		`No server runs with --keep "${folder}". Start it: pulumi-datachain serve --keep '${folder}'`,
	);
});

test("--keep in a folder with files of others hides none of them from git, and leaves their .gitignore alone", () => {
	const [fresh, used] = [testFolder("kept-"), testFolder("kept-")];
	writeFileSync(join(used, ".gitignore"), "node_modules\n");
	for (const folder of [fresh, used]) new ServerFolder(folder).prepare();
	expect(readFileSync(join(used, ".gitignore"), "utf8")).toBe("node_modules\n");
	expect(readFileSync(join(fresh, ".gitignore"), "utf8")).toBe(
		"/.gitignore\n/connection.json*\n/team.json*\n",
	);
});

test("a server that cannot keep its settings ends, and says which folder it could not use", async () => {
	const folder = testFolder("kept-");
	// The file is written beside its place first; a folder there fails as a full disk does.
	mkdirSync(join(folder, `connection.json.${process.pid}`));
	await expect(
		define(new Command("serve")).parseAsync(["--keep", folder], { from: "user" }),
	).rejects.toThrow(
		`The folder "${folder}" cannot be used (EISDIR). Choose another with --keep.`,
	);
});

test("a server that listens on every address prints one that the commands accept", async () => {
	const server = await startServer({ host: "0.0.0.0" });
	onTestFinished(() => server.close());
	expect(resolveConnection({ env: server.environment }).baseUrl).toMatch(
		/^http:\/\/127\.0\.0\.1:\d+\/api$/,
	);
	expect((await fetch(`${server.url}/api/openapi.json`)).status).toBe(200);
});

test("a server of a program has the page at its root that the program gives, else none", async () => {
	const bare = await startServer();
	onTestFinished(() => bare.close());
	expect((await fetch(`${bare.url}/`)).status).toBe(404);
	let isClosed = false;
	const rootPage: MakeRootPage = ({ url, teamName }) => ({
		paths: ["/"],
		respond: async () => new Response(`${teamName} at ${url()}`),
		close: () => {
			isClosed = true;
		},
	});
	const server = await startServer({ teamName: "ml", rootPage });
	expect(await (await fetch(`${server.url}/`)).text()).toBe(`ml at ${server.url}`);
	await server.close();
	expect(isClosed).toBe(true);
});
