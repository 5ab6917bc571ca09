import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createClient, NetworkError } from "../../src/api";
import { proxyFor, tunnel } from "../../src/api/proxy";
import { download } from "../../src/api/transport";
import { type LocalServer, startServer } from "../../src/server";
import { type Running, run, start } from "../../tools/process/run";
import { JOB_ID } from "../helpers/api-calls";
import { failureOf } from "../helpers/api-raw-server";
import { repository } from "../helpers/engine";

const HOST = "studio.test";
const CERTIFICATE = join(repository, "test/fixtures/tls/studio.test.pem");

/** The service under a name that only the proxy can reach, with a certificate of a private authority. */
let service: LocalServer;
let secured: Server;
let proxy: Running;
let said = "";
let proxyPort = "";

beforeAll(async () => {
	service = await startServer({ jobStepMillis: 20 });
	const { port } = new URL(service.url);
	secured = createServer(
		{ cert: readFileSync(CERTIFICATE), key: readFileSync(CERTIFICATE.replace(/pem$/, "key")) },
		(socket) => {
			const upstream = connect(Number(port), "127.0.0.1");
			upstream.on("error", () => socket.destroy());
			socket.on("error", () => upstream.destroy());
			socket.pipe(upstream).pipe(socket);
		},
	);
	await new Promise<void>((resolve) => secured.listen(0, "127.0.0.1", resolve));
	const target = String((secured.address() as AddressInfo).port);
	const script = join(repository, "test/helpers/connect-proxy.cjs");
	proxyPort = await new Promise((resolve) => {
		proxy = start(process.execPath, [script, "ada:p@ss", target], {
			timeoutMs: 120_000,
			onOutput: (chunk) => {
				said += chunk;
				const port = /port (\d+)/.exec(said)?.[1];
				if (port !== undefined) resolve(port);
			},
		});
	});
});
afterAll(async () => {
	proxy.kill();
	secured.close();
	await service.close();
});

/** A program of its own: Node reads NODE_EXTRA_CA_CERTS only when a process starts. */
const PROGRAM = `
const { createClient, resolveConnection } = require("./dist/api");
(async () => {
	const client = createClient(resolveConnection(), { maxAttempts: 2 });
	const clusters = await client.clusters.list();
	const { id } = await client.jobs.create({ query: "print('hello')", query_type: "PYTHON" });
	const lines = [];
	for await (const event of client.jobs.followLogs({ job_id: id })) if (event.type === "line") lines.push(event.message);
	console.log(JSON.stringify({ clusters: clusters.length, lines: lines.length }));
	await client.close();
})().catch((error) => { console.log(error.message); process.exitCode = 1; });
`;

const program = (env: NodeJS.ProcessEnv) =>
	run(process.execPath, ["-e", PROGRAM], {
		cwd: repository,
		env: {
			PATH: process.env.PATH,
			DATACHAIN_STUDIO_URL: `https://${HOST}`,
			DATACHAIN_STUDIO_TOKEN: service.token,
			DATACHAIN_STUDIO_TEAM: service.teamName,
			NODE_EXTRA_CA_CERTS: CERTIFICATE,
			...env,
		},
		timeoutMs: 60_000,
	});

describe("a service behind a proxy and a private authority", () => {
	test("is reached by requests and by followed logs, in tunnels of the proxy's account", async () => {
		const { stdout } = await program({ HTTPS_PROXY: `http://ada:p%40ss@127.0.0.1:${proxyPort}` });
		const { clusters, lines } = JSON.parse(stdout);
		expect(clusters).toBeGreaterThan(0);
		expect(lines).toBeGreaterThan(0);
		const tunnels = said.split("\n").filter((line) => line.startsWith("CONNECT"));
		expect(tunnels.length).toBeGreaterThanOrEqual(2);
		expect(new Set(tunnels)).toEqual(new Set([`CONNECT ${HOST}:443`]));
	});

	test("is refused by the proxy without the account, and the error says what to do", async () => {
		const { stdout } = await program({ https_proxy: `http://127.0.0.1:${proxyPort}` });
		expect(stdout).toContain(
			"the proxy that HTTPS_PROXY or ALL_PROXY names does not let the request through (PROXY_407)",
		);
		expect(stdout).not.toContain("attempts");
	});

	test("is not believed without its authority", async () => {
		const { stdout } = await program({
			HTTPS_PROXY: `http://ada:p%40ss@127.0.0.1:${proxyPort}`,
			NODE_EXTRA_CA_CERTS: undefined,
		});
		expect(stdout).toMatch(/certificate or TLS is not acceptable.*NODE_EXTRA_CA_CERTS/);
	});

	test("is asked for directly where NO_PROXY names it", async () => {
		const { stdout } = await program({
			HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
			NO_PROXY: "other,.test",
		});
		expect(stdout).toMatch(/host name is not known|name service does not answer/);
	});
});

describe("a proxy that is no http URL", () => {
	const why = "HTTPS_PROXY or ALL_PROXY is no http:// or https:// URL";
	const client = createClient({ baseUrl: `https://${HOST}`, token: "t0ken", teamName: "ml" });
	beforeEach(() => {
		vi.stubEnv("HTTPS_PROXY", "");
		vi.stubEnv("https_proxy", "");
		vi.stubEnv("NO_PROXY", "");
		vi.stubEnv("no_proxy", "");
		vi.stubEnv("ALL_PROXY", "socks5://127.0.0.1:1080");
	});
	afterEach(() => void vi.unstubAllEnvs());

	test.each([
		["a request", () => client.clusters.list()],
		["a followed log", () => client.jobs.followLogs({ job_id: JOB_ID }).next()],
	])("fails %s once, and the error names both variables", async (_, run) => {
		const error = await failureOf(run());
		expect(error).toBeInstanceOf(NetworkError);
		expect(error).toMatchObject({ code: "PROXY_URL", attempts: 1 });
		expect(String(error)).toContain(why);
	});

	test("fails the download of a stored log", async () => {
		const url = new URL(`https://${HOST}/log`);
		const { signal } = new AbortController();
		const part = download({ url, maxBytes: 1, timeoutMillis: 1000, signal }).next();
		expect(await failureOf(part)).toMatchObject({ name: "ExchangeFault", code: "PROXY_URL" });
	});
});

test("a proxy that says nothing more once the tunnel stands is given up in time", async () => {
	const silent = createPlainServer((socket) => {
		socket.on("error", () => {});
		socket.once("data", () => socket.write("HTTP/1.1 200 Connection Established\r\n\r\n"));
	});
	await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
	const { port } = silent.address() as AddressInfo;
	const opened = tunnel(new URL(`http://127.0.0.1:${port}`), { hostname: HOST, port: "" }, 200);
	await expect(opened).rejects.toMatchObject({ code: "UND_ERR_CONNECT_TIMEOUT" });
	silent.close();
});

describe("the proxy for a URL", () => {
	const url = new URL("https://api.studio.example:8443/x");
	test.each([
		["none is named", {}, undefined],
		["an empty one is named", { HTTPS_PROXY: "" }, undefined],
		["one is named", { HTTPS_PROXY: "http://p:1" }, "http://p:1/"],
		["one is named for everything", { all_proxy: "http://p:1" }, "http://p:1/"],
		["the host is exempt", { HTTPS_PROXY: "http://p:1", NO_PROXY: "api.studio.example" }, undefined],
		["its domain is exempt", { HTTPS_PROXY: "http://p:1", no_proxy: "a, .studio.example" }, undefined],
		["everything is exempt", { HTTPS_PROXY: "http://p:1", NO_PROXY: "*" }, undefined],
		["another port is exempt", { HTTPS_PROXY: "http://p:1", NO_PROXY: "studio.example:443" }, "http://p:1/"],
		[
			"a name that only ends alike is exempt",
			{ HTTPS_PROXY: "http://p:1", NO_PROXY: "io.example" },
			"http://p:1/",
		],
	])("where %s", (_, env, proxied) => {
		expect(proxyFor(url, env)?.href).toBe(proxied);
	});

	test("is none for plain http, which is for loopback addresses only", () => {
		expect(proxyFor(new URL("http://127.0.0.1:1/"), { HTTPS_PROXY: "http://p:1" })).toBeUndefined();
	});

	test("must be a URL", () => {
		expect(() => proxyFor(url, { HTTPS_PROXY: "socks" })).toThrow(/write http:\/\/host:port/);
	});
});
