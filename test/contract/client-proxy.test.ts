import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { loopbackOfTest } from "../helpers/api-servers";
import { repository } from "../helpers/engine";
import { CERTIFICATE, identity, TLS_HOST } from "../helpers/raw-server";

/** A program of its own: Node reads NODE_EXTRA_CA_CERTS only when a process starts. */
const PROGRAM = `
const { createClient, resolveConnection } = require("./dist/api");
(async () => {
	const client = createClient(resolveConnection(), { maxAttempts: 2 });
	const clusters = await client.clusters.list();
	const { id } = await client.jobs.create({ query: "print('hello')", query_type: "PYTHON" });
	const lines = [];
	for await (const event of client.jobs.followLogs({ job_id: id })) if (event.type === "line") lines.push(event.message);
	console.log(JSON.stringify({ clusters, lines }));
	await client.close();
})().catch((error) => { console.log(error.message); process.exitCode = 1; });
`;

test("a service behind a proxy and a private authority is reached by requests and by followed logs", async () => {
	const service = await startServer({ jobStepMillis: 20 });
	const asked: unknown[] = [];
	/** Ends each tunnel at the service itself, under a name that only this proxy knows. */
	const proxy = createServer().on("connect", ({ url, headers }, client: Socket) => {
		asked.push([url, headers["proxy-authorization"]]);
		client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
		const secured = new TLSSocket(client, { isServer: true, ...identity() });
		const upstream = connect(Number(new URL(service.url).port), "127.0.0.1");
		for (const socket of [secured, upstream]) socket.on("error", () => {});
		secured.pipe(upstream).pipe(secured);
	});
	onTestFinished(() => service.close());
	const { url } = await loopbackOfTest(proxy);
	const { stdout } = await run(process.execPath, ["-e", PROGRAM], {
		cwd: repository,
		env: {
			PATH: process.env.PATH,
			DATACHAIN_STUDIO_URL: `https://${TLS_HOST}`,
			DATACHAIN_STUDIO_TOKEN: service.token,
			DATACHAIN_STUDIO_TEAM: service.teamName,
			NODE_EXTRA_CA_CERTS: CERTIFICATE,
			HTTPS_PROXY: url.replace("://", "://ada:p%40ss@"),
		},
		timeoutMs: 60_000,
	});
	const { clusters, lines } = JSON.parse(stdout);
	expect(clusters).not.toEqual([]);
	expect(lines).not.toEqual([]);
	expect(asked.length).toBeGreaterThanOrEqual(2);
	const tunnel = [`${TLS_HOST}:443`, `Basic ${Buffer.from("ada:p@ss").toString("base64")}`];
	expect(asked).toEqual(asked.map(() => tunnel));
});
