import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { systemClock } from "../../src/server";
import { verifyReportSchema } from "../../src/verify/report";
import { repository } from "../../tools/repository";
import { runCli } from "../helpers/cli";
import { startCli } from "../helpers/cli-process";
import { TLS_HOST } from "../helpers/raw-server";
import { eventually, testServer } from "../helpers/server-harness";
import { behindProxy, proxyTo } from "../helpers/tls-proxy";
import { PAUSED } from "../helpers/verify-run";

const WRITING = ["--pipeline", PAUSED, "--yes"];

async function local() {
	const server = await testServer({ faults: true, clock: systemClock() });
	return { server, colleague: server.team(server.teamName) };
}

/** A server that only a proxy leads to, and the command with a proxy under one of the names of the environment. */
async function behind() {
	const { server } = await local();
	const proxy = await proxyTo(Number(new URL(server.url).port));
	const verify = (
		proxies: Readonly<Record<string, string>>,
		args: readonly string[] = WRITING,
	) => {
		const env = {
			PATH: process.env.PATH,
			HOME: process.env.HOME,
			...server.environment,
		};
		return runCli({ folder: repository, env: { ...env, ...behindProxy, ...proxies } }, [
			"verify",
			...args,
		]);
	};
	return { server, proxy, verify };
}

const lines = (text: string) => text.trim().split("\n");

it.each(["HTTPS_PROXY", "ALL_PROXY"])(
	"the description, the reads and the writes go through %s",
	async (name) => {
		const { server, proxy, verify } = await behind();
		const { code, stdout, stderr } = await verify({ [name]: proxy.url });
		expect(code, `${stdout}\n${stderr}`).toBe(0);
		expect(lines(stdout).at(-1)).toMatch(/ hold, 0 differ, /);
		expect(proxy.asked.length).toBeGreaterThanOrEqual(2);
		expect(proxy.asked).toEqual(proxy.asked.map(() => proxy.tunnel));
		const { entries } = server.requests;
		expect(entries.filter(({ path }) => path.endsWith("/openapi.json"))).toHaveLength(
			1,
		);
		for (const endpoint of [
			"listClusters",
			"listSchedules",
			"createSchedule",
			"updateSettings",
			"uploadFile",
		])
			expect(entries.map((entry) => entry.endpoint)).toContain(endpoint);
		expect(`${stdout}${stderr}`).not.toContain("p%40ss");
	},
);

it("a host of NO_PROXY is asked without the proxy, also for its description", async () => {
	const { proxy, verify } = await behind();
	const { code, stderr } = await verify({ HTTPS_PROXY: proxy.url, NO_PROXY: TLS_HOST });
	expect([code, lines(stderr)]).toEqual([
		1,
		[
			expect.stringMatching(
				/^error: The description at https:\/\/studio\.test\/.* cannot be read/,
			),
		],
	]);
	expect(proxy.asked).toEqual([]);
});

it.each([
	[
		"for the description",
		[],
		/^error: The description at .* \(PROXY_ECONNREFUSED\)\..* the proxy\.$/,
	],
	[
		"for requests",
		["--no-description"],
		/^error: .*HTTPS_PROXY.*\(PROXY_ECONNREFUSED\)/,
	],
] as const)(
	"a proxy that does not exist is one clear line %s",
	async (_what, args, says) => {
		const { server, verify } = await behind();
		const { code, stdout, stderr } = await verify(
			{ HTTPS_PROXY: "http://ada:p%40ss@127.0.0.1:9" },
			args,
		);
		expect([code, stdout, lines(stderr)]).toEqual([
			1,
			"",
			[expect.stringMatching(says)],
		]);
		expect(stderr).not.toContain("p%40ss");
		expect(server.requests.entries).toEqual([]);
	},
);

const PACED: readonly EndpointName[] = [
	...([
		"listClusters",
		"listSchedules",
		"getSchedule",
		"pipelineStatus",
		"listJobs",
	] as const),
	...([
		"createSchedule",
		"updateSchedule",
		"deleteSchedule",
		"updateSettings",
		"uploadFile",
	] as const),
];

it("waits where the service limits its requests, and reports what it reports otherwise", async () => {
	const { server, colleague } = await local();
	const place = { folder: repository, env: { ...process.env, ...server.environment } };
	const report = async () => {
		const { code, stdout, stderr } = await runCli(place, [
			"verify",
			"--json",
			...WRITING,
		]);
		expect(code, stderr).toBe(0);
		return verifyReportSchema.parse(JSON.parse(stdout));
	};
	const schedules = colleague.schedules();
	const usual = await report();
	for (const endpoint of PACED)
		server.faults.add({
			kind: "status",
			endpoint,
			status: 429,
			retryAfter: 1,
			times: 1,
		});
	const began = Date.now();
	const limited = await report();
	expect(
		PACED.map((endpoint) => server.requests.count({ endpoint, status: 429 })),
	).toEqual(PACED.map(() => 1));
	// Several of the waits may be one.
	expect(Date.now() - began).toBeGreaterThan(3_000);
	expect([limited.counts, limited.left]).toEqual([usual.counts, []]);
	expect(colleague.schedules()).toEqual(schedules);
});

it("an interrupted run waits where the service limits its requests, and removes what it made", async () => {
	const { server, colleague } = await local();
	const schedules = colleague.schedules();
	server.faults.add({ kind: "delay", endpoint: "updateSchedule", ms: 1_000, times: 1 });
	// The two before are the look for write access and the deletion of the second schedule.
	const removal = { endpoint: "deleteSchedule", skip: 2, times: 2 } as const;
	server.faults.add({ kind: "status", status: 429, retryAfter: 1, ...removal });
	const running = startCli(
		["verify", "--no-description", ...WRITING],
		server.environment,
	);
	await eventually(
		() => server.requests.count({ endpoint: "updateSchedule" }) > 0 || undefined,
		60_000,
	);
	await sleep(100);
	running.interrupt();
	const { code, stderr } = await running.finished;
	expect([code, stderr]).toEqual([
		1,
		expect.stringContaining("Everything that was made is removed"),
	]);
	expect(server.requests.count({ endpoint: "deleteSchedule", status: 429 })).toBe(2);
	expect(colleague.schedules()).toEqual(schedules);
});
