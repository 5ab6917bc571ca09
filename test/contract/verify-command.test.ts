import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { systemClock } from "../../src/server";
import { verifyReportSchema } from "../../src/verify/report";
import { assumptionIds } from "../../src/verify/table";
import { repository } from "../../tools/repository";
import { loopbackOfTest } from "../helpers/api-servers";
import { runCli } from "../helpers/cli";
import { startCli } from "../helpers/cli-process";
import { eventually, testServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";
import { NAMES, PAUSED, prepared } from "../helpers/verify-run";

const reader = {
	token: "reader-token",
	user: "reader",
	teams: ["vision"],
	read: true,
	write: false,
};

async function local() {
	const server = await testServer({
		faults: true,
		tokens: [reader],
		clock: systemClock(),
	});
	const env = { ...process.env, ...server.environment };
	const verify = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
		runCli({ folder: repository, env: { ...env, ...more } }, ["verify", ...args]);
	return { server, verify, colleague: server.team(server.teamName) };
}

it("reads out of the box: a plain line for each assumption, no write, exit 0", async () => {
	const { server, verify } = await local();
	const { code, stdout, stderr } = await verify([]);
	expect([code, stderr]).toEqual([
		0,
		expect.stringMatching(/^Checking what the provider assumes about http:.*\n$/),
	]);
	const lines = stdout.trim().split("\n");
	expect(lines).toHaveLength(assumptionIds.length + 1);
	expect(
		lines
			.slice(0, -1)
			.filter((line) => !/^(holds|untried) +[\w-]+: \S.*\.( |$)/.test(line)),
	).toEqual([]);
	expect(stdout).not.toContain("\u001b");
	expect(lines.at(-1)).toMatch(/^\d\d hold, 0 differ, \d\d could not be tried\.$/);
	expect(server.requests.count({ method: "POST" })).toBe(0);
});

it("logs each request with DATACHAIN_LOG, as other commands do", async () => {
	const { server, verify } = await local();
	const log = join(testFolder("verify-log-"), "requests.log");
	await verify(["--no-description"], { DATACHAIN_LOG: `debug:${log}` });
	const lines = readFileSync(log, "utf8").trim().split("\n");
	expect(lines).toHaveLength(server.requests.count());
	expect(lines.join("\n")).toMatch(/GET \/datachain\/pipeline\/schedules .*200/);
});

it("with --pipeline writes only with --yes, and makes, changes and removes its own objects alone", async () => {
	const { server, verify, colleague } = await local();
	const asked = await verify(["--pipeline", PAUSED]);
	expect([asked.code, asked.stdout]).toEqual([1, ""]);
	expect(asked.stderr).toMatch(/Nothing was written\. Add --yes/);
	expect(
		server.requests.entries.filter(
			({ method, status }) => method === "POST" && status !== 404,
		),
	).toEqual([]);
	const schedules = colleague.schedules();
	const { code, stdout, stderr } = await verify(["--pipeline", PAUSED, "--yes"]);
	expect(code, stdout).toBe(0);
	expect(stderr).toMatch(
		/Everything that was made is removed, except for the file\.\n$/,
	);
	const posts = server.requests.entries
		.filter(({ method }) => method === "POST")
		.map(({ endpoint }) => endpoint);
	expect([...new Set(posts)].sort()).toEqual(
		[
			"createSchedule",
			"deleteSchedule",
			"updateSchedule",
			"updateSettings",
			"uploadFile",
		].sort(),
	);
	expect(colleague.schedules()).toEqual(schedules);
});

it("does not speak of a file that was not uploaded", async () => {
	const { server, verify } = await local();
	server.faults.add({ kind: "status", endpoint: "uploadFile", status: 403 });
	const { stderr } = await verify(["--pipeline", PAUSED, "--yes"]);
	expect(stderr).toMatch(/Everything that was made is removed\.\n$/);
});

it("--json is one report that fits into an issue, without the host, the team, the token or their names", async () => {
	const { server, verify } = await local();
	server.faults.add({ kind: "reversed-list", endpoint: "listJobs" });
	const { code, stdout } = await verify(["--json", "--pipeline", PAUSED, "--yes"]);
	const report = verifyReportSchema.parse(JSON.parse(stdout));
	expect([code, report.complete, report.left]).toEqual([2, true, []]);
	expect(report.results.filter(({ verdict }) => verdict === "differs")).toMatchObject([
		{
			id: "jobs-newest-first",
			matters: true,
			seen: "another order",
			otherwise: expect.any(String),
		},
	]);
	expect(report.host).toMatch(/^sha256:[0-9a-f]{12}$/);
	for (const secret of [server.token, "127.0.0.1", "vision", PAUSED, "nightly"])
		expect(stdout).not.toContain(secret);
	// What GitHub takes as the text of an issue.
	expect(stdout.length).toBeLessThan(65_536);
	const shown = await verify(["--json", "--show-host"]);
	expect(JSON.parse(shown.stdout).host).toBe(new URL(server.url).host);
});

it("a difference that the provider copes with is shown and does not fail the command", async () => {
	const { server, verify } = await local();
	server.faults.add({
		kind: "rewrite",
		endpoint: "listSchedules",
		fraction: { "*.created_at": 0 },
	});
	const { code, stdout } = await verify([]);
	expect([code, stdout]).toEqual([
		0,
		expect.stringMatching(/^differs {2}times-have-microseconds: .* Then: /m),
	]);
});

it("without a token only the description is checked", async () => {
	const { server } = await local();
	const folder = testFolder("verify-");
	const env = {
		...{ PATH: process.env.PATH, HOME: folder, XDG_CONFIG_DIRS: folder },
		DATACHAIN_STUDIO_URL: server.url,
	};
	const { code, stdout, stderr } = await runCli({ folder, env }, ["verify"]);
	expect(code, stderr).toBe(0);
	expect(stderr).toContain("There is no token, so only the description is checked.");
	expect(stdout).toContain("holds    describes-listJobs");
	expect(server.requests.entries.map(({ path }) => path)).toEqual([
		"/api/openapi.json",
	]);
});

const lines = (text: string) => text.trim().split("\n");

it.each([
	[
		"a pipeline that does not exist",
		["--pipeline", "none", "--yes"],
		{},
		/has no pipeline "none"/,
		"pipelineStatus",
	],
	[
		"a pipeline that is not paused",
		["--pipeline", "nightly-images", "--yes"],
		{},
		/is COMPLETED and not paused/,
		"pipelineStatus",
	],
	[
		"a token without write access",
		["--pipeline", PAUSED, "--yes"],
		{ DATACHAIN_STUDIO_TOKEN: reader.token },
		/may not write in team "vision" \(403\)/,
		"deleteSchedule",
	],
	[
		"an unknown token",
		[],
		{ DATACHAIN_STUDIO_TOKEN: "nobodys" },
		/did not accept the token/,
		"listClusters",
	],
	[
		"another team",
		["--team", "other"],
		{},
		/the token may not do this in team "other"/,
		"listClusters",
	],
] as const)(
	"%s is one clear line, and nothing is sent after it",
	async (_what, args, env, says, last) => {
		const { server, verify } = await local();
		const { code, stdout, stderr } = await verify(args, env);
		expect([code, stdout]).toEqual([1, ""]);
		expect(lines(stderr)).toEqual([expect.stringMatching(/^error: /)]);
		expect(stderr).toMatch(says);
		expect(server.requests.entries.at(-1)?.endpoint).toBe(last);
		const writes = server.requests.entries.filter(({ method }) => method === "POST");
		expect(
			writes.filter(
				({ endpoint, status }) => endpoint !== "deleteSchedule" || status < 400,
			),
		).toEqual([]);
	},
);

it.each([
	["schedule", NAMES.schedule],
	["renamed schedule", NAMES.renamed],
	["variable", NAMES.variable],
])(
	"a %s whose name is taken is one clear line, and nothing is sent after it",
	async (kind, name) => {
		const { server, colleague } = await local();
		if (kind === "variable") colleague.setVariable(PAUSED, name, "1");
		else
			colleague.createSchedule({
				schedule_name: name,
				pipeline_name: PAUSED,
				cron_expression: "@daily",
			});
		await expect(prepared(server)).rejects.toThrow(`The name ${name} is taken.`);
		expect(server.requests.entries.at(-1)?.endpoint).toBe("listSchedules");
		expect(server.requests.count({ method: "POST" })).toBe(0);
	},
);

it.each([
	["that is not JSON", /is not JSON/, 200, () => ["<html>"]],
	[
		"that is JSON of something else",
		/is not an OpenAPI document/,
		200,
		() => ['{"a":1}'],
	],
	["that redirects", /redirects to another address/, 302, () => [""]],
	[
		"that fails",
		/cannot be read: the service answered with status 500/,
		500,
		() => ["{}"],
	],
	[
		"of 40 MB",
		/larger than 8 MiB/,
		200,
		() => Array.from({ length: 40 }, () => " ".repeat(1_000_000)),
	],
] as const)(
	"a description %s is one clear line, and nothing is sent after it",
	async (_what, says, status, parts) => {
		const { verify } = await local();
		const asked: string[] = [];
		let sent = 0;
		const other = createServer((request, response) => {
			asked.push(`${request.url} ${request.headers.authorization ?? "no token"}`);
			response.writeHead(status, { Location: "/elsewhere" });
			const rest = [...parts()];
			const next = (): void => {
				const part = rest.shift();
				if (part === undefined) {
					response.end();
					return;
				}
				sent += part.length;
				if (response.write(part)) next();
				else response.once("drain", next);
			};
			next();
		});
		const { url } = await loopbackOfTest(other);
		const { code, stdout, stderr } = await verify([], { DATACHAIN_STUDIO_URL: url });
		expect([code, stdout]).toEqual([1, ""]);
		expect(lines(stderr)).toEqual([expect.stringMatching(says)]);
		expect(asked).toEqual(["/api/openapi.json no token"]);
		expect(sent).toBeLessThan(20_000_000);
	},
);

it("no connection is one clear line", async () => {
	const { verify } = await local();
	const closed = createServer();
	const { url, close } = await loopbackOfTest(closed);
	await close();
	const { code, stdout, stderr } = await verify([], { DATACHAIN_STUDIO_URL: url });
	expect([code, stdout, lines(stderr)]).toEqual([
		1,
		"",
		[expect.stringMatching(/^error: .*ECONNREFUSED/)],
	]);
});

it("doctor --probe-write says what to use in its place", async () => {
	const { code, stderr } = await runCli({ folder: repository, env: process.env }, [
		"doctor",
		"--probe-write",
	]);
	expect([code, stderr]).toEqual([
		1,
		expect.stringContaining("verify --pipeline NAME"),
	]);
});

it("a second Ctrl-C ends at once, and names what is left", async () => {
	const { server } = await local();
	server.faults.add({ kind: "delay", endpoint: "deleteSchedule", ms: 20_000, skip: 1 });
	const running = startCli(
		["verify", "--pipeline", PAUSED, "--yes"],
		server.environment,
	);
	await eventually(
		() => server.requests.count({ endpoint: "deleteSchedule" }) === 2 || undefined,
		30_000,
	);
	running.interrupt();
	await eventually(() => /Interrupted/.test(running.printed.stderr) || undefined);
	running.interrupt();
	const { code, stderr } = await running.finished;
	expect(code).toBe(1);
	expect(stderr).toMatch(
		/- schedule pulumi-datachain-verify-[0-9a-f]{12} \(id \d+\): it was not removed/,
	);
});
