import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { type Running, run, start } from "../../tools/process/run";
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

test("a service behind a proxy and a private authority is reached by requests and by followed logs", async () => {
	const { stdout } = await run(process.execPath, ["-e", PROGRAM], {
		cwd: repository,
		env: {
			PATH: process.env.PATH,
			DATACHAIN_STUDIO_URL: `https://${HOST}`,
			DATACHAIN_STUDIO_TOKEN: service.token,
			DATACHAIN_STUDIO_TEAM: service.teamName,
			NODE_EXTRA_CA_CERTS: CERTIFICATE,
			HTTPS_PROXY: `http://ada:p%40ss@127.0.0.1:${proxyPort}`,
		},
		timeoutMs: 60_000,
	});
	const { clusters, lines } = JSON.parse(stdout);
	expect(clusters).toBeGreaterThan(0);
	expect(lines).toBeGreaterThan(0);
	const tunnels = said.split("\n").filter((line) => line.startsWith("CONNECT"));
	expect(tunnels.length).toBeGreaterThanOrEqual(2);
	expect(new Set(tunnels)).toEqual(new Set([`CONNECT ${HOST}:443`]));
});
