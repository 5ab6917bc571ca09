import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient, NetworkError } from "../../../src/api";
import { proxyFor, tunnel, tunnelling } from "../../../src/api/proxy";
import { JOB_ID } from "../../helpers/api-calls";
import { closedPort, failureOf } from "../../helpers/api-servers";
import { repository } from "../../helpers/engine";

const HOST = "studio.test";
const CERTIFICATE = join(repository, "test/fixtures/tls/studio.test.pem");
const identity = () => ({
	cert: readFileSync(CERTIFICATE),
	key: readFileSync(CERTIFICATE.replace(/pem$/, "key")),
});

async function listening(server: Server, sockets: Socket[] = []): Promise<number> {
	server.on("connection", (socket) => {
		sockets.push(socket);
		socket.on("error", () => {});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		for (const socket of sockets) socket.destroy();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}

describe("the proxy for a URL", () => {
	const url = new URL("https://api.studio.example:8443/x");
	const usual = { HTTPS_PROXY: "http://p:1" };
	test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
		["none is named", {}, undefined],
		["one is named", usual, "http://p:1/"],
		["one is named in small letters", { https_proxy: "https://p:1" }, "https://p:1/"],
		["one is named for everything", { all_proxy: "http://p:1" }, "http://p:1/"],
		["one is named for everything and one for this", { ...usual, ALL_PROXY: "http://q:1" }, "http://p:1/"],
		["the host is exempt in capitals", { ...usual, NO_PROXY: "API.Studio.Example" }, undefined],
		["its domain is exempt", { ...usual, no_proxy: "a, .studio.example" }, undefined],
		["its domain is exempt with a star", { ...usual, no_proxy: "*.studio.example b" }, undefined],
		["its domain is exempt without a dot", { ...usual, no_proxy: "studio.example" }, undefined],
		["everything is exempt", { ...usual, NO_PROXY: "*" }, undefined],
		["its port is exempt", { ...usual, NO_PROXY: "studio.example:8443" }, undefined],
		["another port is exempt", { ...usual, NO_PROXY: "studio.example:443" }, "http://p:1/"],
		["a name that only ends alike is exempt", { ...usual, NO_PROXY: "io.example" }, "http://p:1/"],
		["a name below it is exempt", { ...usual, NO_PROXY: "x.api.studio.example" }, "http://p:1/"],
		["the list of exempt names is blank", { ...usual, NO_PROXY: " , " }, "http://p:1/"],
	])("if %s", (_, env, proxied) => {
		expect(proxyFor(url, env)?.href).toBe(proxied);
	});

	test("is none for plain http, which is for loopback addresses only", () => {
		expect(proxyFor(new URL("http://127.0.0.1:1/"), usual)).toBeUndefined();
		expect(proxyFor(new URL("ws://127.0.0.1:1/"), usual)).toBeUndefined();
	});

	test("is the same for WebSockets, and its usual port is 443", () => {
		expect(proxyFor(new URL("wss://a.example/"), usual)?.href).toBe("http://p:1/");
		expect(proxyFor(new URL("wss://a.example/"), { ...usual, NO_PROXY: "a.example:443" })).toBeUndefined();
	});

	test("is the same for a name with a dot at its end", () => {
		expect(proxyFor(new URL("https://a.example./"), usual)?.href).toBe("http://p:1/");
	});

	test.each(["socks", "socks5://127.0.0.1:1080", "p:1"])("cannot be %s", (HTTPS_PROXY) => {
		expect(() => proxyFor(url, { HTTPS_PROXY })).toThrow(expect.objectContaining({ code: "PROXY_URL" }));
	});
});

describe("a proxy whose URL is not http or https", () => {
	const why = "HTTPS_PROXY or ALL_PROXY is not an http:// or https:// URL";
	const client = createClient({ baseUrl: `https://${HOST}`, token: "t0ken", teamName: "ml" });
	beforeEach(() => {
		for (const name of ["HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
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
		const port = await listening(server);
		return { asked, at: (account = "") => new URL(`http${secure ? "s" : ""}://${account}127.0.0.1:${port}`) };
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
	async function reachable() {
		const port = await listening(
			createTlsServer(identity(), (socket: TLSSocket) => socket.end(`hello from ${socket.servername}`)),
		);
		return joinedTo(port);
	}
	const textOf = async (socket: Socket) => {
		let text = "";
		for await (const chunk of socket) text += chunk;
		return text;
	};
	/** Node reads which authorities it trusts when the process starts, so that none of ours can be added here. */
	const trusting = () => {
		vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
		onTestFinished(() => void vi.unstubAllEnvs());
	};

	test.each([
		[true, "ada:p%40ss@", "ada:p@ss", "8443"],
		// A percent sign that begins no code is one.
		[false, "ada:100%@", "ada:100%", ""],
		[false, "", undefined, ""],
	])(
		"leads to the service by its host name; proxy over TLS: %s; account %j",
		async (secure, account, sent, port) => {
			trusting();
			const { asked, at } = await proxied(await reachable(), secure);
			const socket = await tunnel(at(account), { hostname: HOST, port }, 2_000);
			expect(await textOf(socket)).toBe(`hello from ${HOST}`);
			const [{ url, headers } = { url: "", headers: {} }] = asked;
			expect([url, headers.host]).toEqual([`${HOST}:${port || 443}`, `${HOST}:${port || 443}`]);
			expect(headers["proxy-authorization"]).toBe(sent && `Basic ${Buffer.from(sent).toString("base64")}`);
		},
	);

	test("stays open after the time limit for opening it", async () => {
		trusting();
		const { at } = await proxied(await reachable());
		const socket = await tunnel(at(), { hostname: HOST, port: "" }, 300);
		await new Promise((resolve) => setTimeout(resolve, 350));
		expect(await textOf(socket)).toBe(`hello from ${HOST}`);
	});

	const service = { hostname: HOST, port: "" };
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
		["says nothing more once the tunnel stands", (socket) => void socket.write(ESTABLISHED)],
	])("is given up in time if the proxy %s", async (_, answer) => {
		const { at } = await proxied(answer);
		await failed(at(), "UND_ERR_CONNECT_TIMEOUT", 60);
	});

	test("fails if no proxy listens", async () => {
		await failed(new URL(`http://127.0.0.1:${await closedPort()}`), "ECONNREFUSED");
	});

	test("that is refused fails whoever asked for the connection", async () => {
		const { at } = await proxied((socket) => void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
		const error = await new Promise((resolve) =>
			tunnelling(at(), service, 2_000)(undefined, (...[refusal]) => resolve(refusal)),
		);
		expect(error).toMatchObject({ code: "PROXY_403" });
	});
});
