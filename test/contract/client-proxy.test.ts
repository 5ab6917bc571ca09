import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { startRawServer } from "../helpers/api-servers";
import { repository } from "../helpers/engine";
import { asset } from "../helpers/provider-kinds";
import { TLS_HOST } from "../helpers/raw-server";
import { behindProxy, proxyTo } from "../helpers/tls-proxy";

const PROGRAM = `
const { createClient, resolveConnection } = require("./dist/client");
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

/** Prints the inputs that a check makes of a file at an address of the web. */
const FILE_PROGRAM = `
const provider = require("./dist/provider").file();
provider.configure({ config: { get: () => undefined } });
provider.check({}, { source: ${JSON.stringify(asset({ uri: `https://${TLS_HOST}/latest/a.py` }))} }).then(
	(checked) => console.log(JSON.stringify(checked)),
);
`;

/** Runs a program that reaches the service only through a proxy, whose tunnels end at a server on this port. */
async function runBehindProxy(
	program: string,
	port: number,
	env: Readonly<Record<string, string>>,
) {
	const proxy = await proxyTo(port);
	const { stdout } = await run(process.execPath, ["-e", program], {
		cwd: repository,
		env: { PATH: process.env.PATH, ...behindProxy, HTTPS_PROXY: proxy.url, ...env },
		timeoutMs: 60_000,
	});
	expect(proxy.asked).toEqual(proxy.asked.map(() => proxy.tunnel));
	return { printed: JSON.parse(stdout), tunnels: proxy.asked.length };
}

test("a remote asset is read through a proxy, over redirects, packed or not", async () => {
	const web = await startRawServer(({ request, response }) => {
		if (request.path.startsWith("/latest/"))
			response.writeHead(302, { location: "/v2/a.py" }).end("moved");
		else
			response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("print(2)"));
	});
	const env = {
		DATACHAIN_STUDIO_TOKEN: "a-token-of-the-service",
		DATACHAIN_STUDIO_TEAM: "ml",
	};
	const { printed } = await runBehindProxy(FILE_PROGRAM, web.port, env);
	const contentHash = createHash("sha256").update("print(2)").digest("hex");
	expect(printed).toMatchObject({
		inputs: { name: "a.py", contentHash },
		failures: [],
	});
	expect(
		web.requests.map(({ path, headers }) => [path, headers.authorization]),
	).toEqual([
		["/latest/a.py", undefined],
		["/v2/a.py", undefined],
	]);
});

test("a service behind a proxy and a private authority is reached by requests and by followed logs", async () => {
	const service = await startServer({ jobStepMillis: 20 });
	onTestFinished(() => service.close());
	const { printed, tunnels } = await runBehindProxy(
		PROGRAM,
		Number(new URL(service.url).port),
		{
			DATACHAIN_STUDIO_TOKEN: service.token,
			DATACHAIN_STUDIO_TEAM: service.teamName,
		},
	);
	expect(printed.clusters).not.toEqual([]);
	expect(printed.lines).not.toEqual([]);
	expect(tunnels).toBeGreaterThanOrEqual(2);
});
