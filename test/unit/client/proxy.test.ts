import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import {
	afterEach,
	beforeEach,
	describe,
	expect,
	onTestFinished,
	test,
	vi,
} from "vitest";
import type { DataChainClient } from "../../../src/client";
import { proxyFor, tunnel } from "../../../src/client/proxy";
import { JOB_ID } from "../../helpers/api-calls";
import { clientFor, failureOf, loopbackOfTest } from "../../helpers/api-servers";
import { identity, TLS_HOST } from "../../helpers/raw-server";

describe("the proxy for a URL", () => {
	const url = new URL("https://api.studio.example:8443/x");
	const usual = { HTTPS_PROXY: "http://p:1" };
	test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
		["none is named", {}, undefined],
		["one is named", usual, "http://p:1/"],
		["one is named in small letters", { https_proxy: "https://p:1" }, "https://p:1/"],
		[
			"one is named for everything and one for this",
			{ ...usual, ALL_PROXY: "http://q:1" },
			"http://p:1/",
		],
		[
			"the host is exempt in capitals",
			{ ...usual, NO_PROXY: "API.Studio.Example" },
			undefined,
		],
		["its domain is exempt", { ...usual, no_proxy: "a, .studio.example" }, undefined],
		[
			"its domain is exempt with a star",
			{ ...usual, no_proxy: "*.studio.example b" },
			undefined,
		],
		["everything is exempt", { ...usual, NO_PROXY: "*" }, undefined],
		["its port is exempt", { ...usual, NO_PROXY: "studio.example:8443" }, undefined],
		[
			"another port is exempt",
			{ ...usual, NO_PROXY: "studio.example:443" },
			"http://p:1/",
		],
		[
			"a name that only ends alike is exempt",
			{ ...usual, NO_PROXY: "io.example" },
			"http://p:1/",
		],
		["the list of exempt names is blank", { ...usual, NO_PROXY: " , " }, "http://p:1/"],
	])("if %s", (_, env, proxied) => {
		expect(proxyFor(url, env)?.href).toBe(proxied);
	});

	test("is the same for WebSockets, whose usual port is 443, and none for plain http", () => {
		expect(proxyFor(new URL("ws://127.0.0.1:1/"), usual)).toBeUndefined();
		expect(proxyFor(new URL("wss://a.example/"), usual)?.href).toBe("http://p:1/");
		expect(
			proxyFor(new URL("wss://a.example/"), { ...usual, NO_PROXY: "a.example:443" }),
		).toBeUndefined();
	});

	test.each(["socks", "socks5://127.0.0.1:1080", "p:1"])(
		"cannot be %s",
		(HTTPS_PROXY) => {
			expect(() => proxyFor(url, { HTTPS_PROXY })).toThrow(
				expect.objectContaining({ code: "PROXY_URL" }),
			);
		},
	);
});

describe.each<[string, (client: DataChainClient) => Promise<unknown>]>([
	["a request", (client) => client.clusters.list()],
	["a followed log", (client) => client.jobs.followLogs({ job_id: JOB_ID }).next()],
])("%s fails, and only what may pass is tried again,", (_, run) => {
	beforeEach(() => {
		for (const name of ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"])
			vi.stubEnv(name, "");
	});
	afterEach(() => void vi.unstubAllEnvs());

	const failed = async (proxy: string, code: string, attempts = 1) => {
		vi.stubEnv("ALL_PROXY", proxy);
		const client = clientFor(`https://${TLS_HOST}`);
		expect(await failureOf(run(client))).toMatchObject({
			name: "NetworkError",
			code,
			attempts,
		});
	};

	test("through a proxy whose URL is not http or https", () =>
		failed("socks5://127.0.0.1:1080", "PROXY_URL"));

	test("through a proxy that is not there", () =>
		failed("http://127.0.0.1:9", "PROXY_ECONNREFUSED", 5));

	test("through a proxy that refuses it", async () => {
		const server = createHttpServer().on("connect", (_, socket) =>
			socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"),
		);
		await failed((await loopbackOfTest(server)).url, "PROXY_403");
	});
});

describe("a tunnel", () => {
	/** A proxy that answers as the test says; what it was asked is kept. */
	async function proxied(answer: (socket: Socket) => void, secure = false) {
		const asked: Pick<IncomingMessage, "url" | "headers">[] = [];
		const server = secure ? createHttpsServer(identity()) : createHttpServer();
		server.on("connect", (request: IncomingMessage, socket: Socket) => {
			asked.push({ url: request.url, headers: request.headers });
			socket.on("error", () => {});
			answer(socket);
		});
		const { port } = await loopbackOfTest(server);
		return {
			asked,
			at: (account = "") =>
				new URL(`http${secure ? "s" : ""}://${account}127.0.0.1:${port}`),
		};
	}
	const ESTABLISHED = "HTTP/1.1 200 Connection Established\r\n\r\n";

	const joinedTo = (port: number) => (client: Socket) => {
		const upstream = connect(port, "127.0.0.1", () => {
			client.write(ESTABLISHED);
			upstream.pipe(client).pipe(upstream);
		});
		upstream.on("error", () => client.destroy());
	};

	/** The service, which greets with the name that it was asked for. */
	const reachable = async () => {
		const greet = (client: TLSSocket) => client.end(`hello from ${client.servername}`);
		const { port } = await loopbackOfTest(createTlsServer(identity(), greet));
		return joinedTo(port);
	};

	test.each([
		[true, "ada:p%40ss@", "ada:p@ss", "8443"],
		// A percent sign that begins no code is one.
		[false, "ada:100%@", "ada:100%", ""],
		[false, "", undefined, ""],
	])(
		"leads to the service by its host name, and stays open; proxy over TLS: %s; account %j",
		async (secure, account, sent, port) => {
			// Node reads which authorities it trusts when the process starts, so that none of ours can be added here.
			vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
			onTestFinished(() => void vi.unstubAllEnvs());
			const { asked, at } = await proxied(await reachable(), secure);
			const socket = await tunnel(at(account), { hostname: TLS_HOST, port }, 300);
			await sleep(350);
			expect(String(await once(socket, "data"))).toBe(`hello from ${TLS_HOST}`);
			const [{ url, headers } = { url: "", headers: {} }] = asked;
			const target = `${TLS_HOST}:${port || 443}`;
			expect([url, headers.host]).toEqual([target, target]);
			expect(headers["proxy-authorization"]).toBe(
				sent && `Basic ${Buffer.from(sent).toString("base64")}`,
			);
		},
	);

	const service = { hostname: TLS_HOST, port: "" };
	const failed = (proxy: URL, code: unknown, millis = 2_000) =>
		expect(tunnel(proxy, service, millis)).rejects.toMatchObject({ code });

	test("is refused if the certificate is not trusted", async () => {
		const { at } = await proxied(await reachable());
		await failed(at(), expect.stringMatching(/CERT|VERIFY|SIGNED/));
	});

	test("that the proxy refuses fails with the proxy's status, and closes the connection", async () => {
		let closed = false;
		const { at } = await proxied((socket) => {
			socket.resume().on("end", () => {
				closed = true;
			});
			socket.write("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
		});
		await failed(at(), "PROXY_407");
		await vi.waitFor(() => expect(closed).toBe(true));
	});

	test.each<[string, (socket: Socket) => void]>([
		["says nothing", () => {}],
		[
			"says nothing more once the tunnel stands",
			(socket) => void socket.write(ESTABLISHED),
		],
	])("is given up in time if the proxy %s", async (_, answer) => {
		const { at } = await proxied(answer);
		await failed(at(), "UND_ERR_CONNECT_TIMEOUT", 60);
	});
});
