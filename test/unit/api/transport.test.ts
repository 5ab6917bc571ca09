import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ClientOptions, limitsOf } from "../../../src/api/options";
import {
	createTransport,
	type Download,
	download,
	type Exchange,
	ExchangeFault,
} from "../../../src/api/transport";
import {
	closedPort,
	failureOf,
	json,
	onLoopback,
	type Exchange as Served,
	startRawServer,
} from "../../helpers/api-servers";

async function served(answer: (exchange: Served) => void, options: ClientOptions = {}, path = "/api") {
	const server = await startRawServer(answer);
	onTestFinished(() => server.close());
	return { server, ...transportTo(`${server.url}${path}`, options) };
}

function transportTo(url: string, options: ClientOptions = {}) {
	const transport = createTransport(url, "t0ken", limitsOf(options));
	onTestFinished(() => transport.close());
	const send = (given: Partial<Exchange> = {}) =>
		transport.exchange({
			method: "GET",
			target: "/x",
			headers: {},
			signal: new AbortController().signal,
			...given,
		});
	return { transport, send };
}

/** How the exchange broke. */
async function faultOf(work: Promise<unknown>) {
	const fault = await failureOf(work);
	if (!(fault instanceof ExchangeFault)) throw fault;
	const { kind, code, sent, status } = fault;
	expect(String(fault)).toBe(`ExchangeFault: ${kind} (${code})`);
	return { kind, code, sent, status };
}

const cutOff = (status: number) => (exchange: Served) =>
	void exchange.response
		.writeHead(status, { "content-length": "999" })
		.write("part", () => exchange.socket.destroy());

describe("an exchange", () => {
	test("sends method, path, headers, token and body below the base URL, and returns the reply", async () => {
		const { server, send } = await served(
			({ response }) => json(response, 418, { a: 1 }, { "x-own": "yes" }),
			{ userAgent: "me" },
			"/tenant/api",
		);
		const { signal } = new AbortController();
		const headers = { "x-mine": "1" };
		const reply = await send({ method: "POST", target: "/x?a=1", headers, body: "text", signal });
		expect(getEventListeners(signal, "abort")).toEqual([]);
		expect(reply).toMatchObject({ status: 418, headers: { "x-own": "yes" } });
		expect(String(reply.body)).toBe('{"a":1}');
		expect(server.requests).toMatchObject([
			{
				method: "POST",
				path: "/tenant/api/x",
				query: [["a", "1"]],
				headers: {
					accept: "application/json",
					"user-agent": "me",
					authorization: "Bearer t0ken",
					"x-mine": "1",
				},
				body: "text",
			},
		]);
		await send({ method: "POST", body: Readable.from(["a", "b"]), headers: { "content-length": "2" } });
		expect(server.requests[1]?.body).toBe("ab");
	});

	test("accepts a reply of exactly the maximum length", async () => {
		const { send } = await served(({ response }) => response.end("x".repeat(1000)), { maxReplyBytes: 1000 });
		expect((await send()).body).toHaveLength(1000);
	});
});

describe("an exchange is broken by", () => {
	const notHttp = ({ socket }: Served) => socket.end("hello\r\n\r\n");
	const NOT_HTTP = expect.stringMatching(/^HPE_|^HTTPParserError$/);
	const longHead = ({ response }: Served) => response.writeHead(200, { "x-long": "x".repeat(20_000) }).end();
	const longBody = ({ response }: Served) => response.end("x".repeat(1001));
	test.each<[string, (exchange: Served) => void, kind: string, code: string, status?: number]>([
		["a connection that is cut", ({ socket }) => socket.destroy(), "network", "UND_ERR_SOCKET"],
		["what is not HTTP", notHttp, "broken", NOT_HTTP],
		["too long a head", longHead, "too-large", "UND_ERR_HEADERS_OVERFLOW"],
		["too long a body", longBody, "too-large", "over 1000 bytes", 200],
		["a body that is cut off", cutOff(399), "broken", "UND_ERR_SOCKET", 399],
	])("%s", async (_, answer, kind, code, status) => {
		const { send } = await served(answer, { maxReplyBytes: 1000 });
		expect(await faultOf(send())).toMatchObject({ kind, code, sent: true, status });
	});

	test("not by an error reply whose body is cut off: its status is enough", async () => {
		const { send } = await served(cutOff(400));
		const reply = await send();
		expect([reply.status, reply.body.length]).toEqual([400, 0]);
	});

	test.concurrent.each<[string, (exchange: Served) => void, code: string, status?: number]>([
		["before the head", () => {}, "UND_ERR_HEADERS_TIMEOUT"],
		["within the body", ({ response }) => response.writeHead(200).write("part"), "UND_ERR_BODY_TIMEOUT", 200],
	])("silence %s", async (_, answer, code, status) => {
		const { send } = await served(answer, { attemptTimeoutMillis: 100 });
		expect(await faultOf(send())).toMatchObject({ kind: "timeout", code, sent: true, status });
	});

	test.each(["127.0.0.1", "localhost"])(
		"no connection at any address of %s, before anything was sent",
		async (host) => {
			const { send } = transportTo(`http://${host}:${await closedPort()}/api`);
			expect(await faultOf(send())).toEqual({ kind: "network", code: "ECONNREFUSED", sent: false });
		},
	);

	test("a proxy that does not answer, before anything was sent", async () => {
		const silent = await onLoopback(
			createServer().on("connect", (_, socket) => socket.on("error", () => {})),
		);
		for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
		vi.stubEnv("HTTPS_PROXY", silent.url);
		onTestFinished(() => {
			vi.unstubAllEnvs();
			void silent.close();
		});
		const { send } = transportTo("https://studio.test/api", { attemptTimeoutMillis: 50 });
		const unconnected = { kind: "timeout", code: "UND_ERR_CONNECT_TIMEOUT", sent: false };
		expect(await faultOf(send())).toEqual(unconnected);
	});
});

describe("a signal that is aborted", () => {
	test("before the request keeps it from being sent", async () => {
		const { server, send } = await served(({ response }) => json(response, 200, {}));
		const fault = await faultOf(send({ signal: AbortSignal.abort() }));
		expect(fault).toMatchObject({ kind: "aborted", sent: false });
		expect(server.requests).toEqual([]);
	});

	test("ends the wait for an answer", async () => {
		const controller = new AbortController();
		const { send } = await served(() => controller.abort());
		const fault = await faultOf(send({ signal: controller.signal }));
		expect(fault).toMatchObject({ kind: "aborted", sent: true, status: undefined });
		expect(getEventListeners(controller.signal, "abort")).toEqual([]);
	});

	test("ends the wait for a connection, and the request counts as not sent", async () => {
		const server = new AbortController();
		const arrived = once(server.signal, "abort");
		const { send } = await served(() => server.abort(), { maxConnections: 1, maxConcurrentWrites: 1 });
		const [one, other] = [new AbortController(), new AbortController()];
		const first = faultOf(send({ signal: one.signal }));
		const second = faultOf(send({ signal: other.signal }));
		await arrived;
		other.abort();
		expect(await second).toMatchObject({ kind: "aborted", sent: false });
		one.abort();
		expect(await first).toMatchObject({ kind: "aborted", sent: true });
	});

	test.each([200, 500])("within the body of a %d is the reason that is reported", async (status) => {
		const controller = new AbortController();
		const { send } = await served(({ response }) => {
			response.writeHead(status).write("part");
			setTimeout(() => controller.abort(), 100);
		});
		const fault = await faultOf(send({ signal: controller.signal }));
		expect(fault).toMatchObject({ kind: "aborted", sent: true, status });
	});
});

describe("a transport that is closed", () => {
	test("ends running requests, and sends no more", async () => {
		let arrived = () => {};
		const head = new Promise<void>((resolve) => {
			arrived = resolve;
		});
		const { transport, send } = await served(() => arrived());
		const running = faultOf(send());
		await head;
		await transport.close();
		expect(await running).toMatchObject({ kind: "network", code: "UND_ERR_DESTROYED", sent: true });
		expect(await faultOf(send())).toMatchObject({ code: "UND_ERR_DESTROYED", sent: false });
	});

	test("can be one that was never used", async () => {
		await expect(transportTo("https://studio.test/api").transport.close()).resolves.toBeUndefined();
	});
});

describe("a download", () => {
	const fetched = async (given: Partial<Download> & { readonly url: URL }) => {
		const parts: Buffer[] = [];
		const all = { timeoutMillis: 5_000, signal: new AbortController().signal, ...given };
		for await (const part of download(all)) parts.push(part);
		return String(Buffer.concat(parts));
	};
	const stored = async (answer: (exchange: Served) => void) => {
		const server = await startRawServer(answer);
		onTestFinished(() => server.close());
		return { server, url: new URL(`${server.url}/log?sig=1`) };
	};

	test("asks for the file without the token", async () => {
		const { server, url } = await stored(({ response }) => response.end("x".repeat(1000)));
		expect(await fetched({ url })).toHaveLength(1000);
		expect(server.requests).toMatchObject([{ method: "GET", path: "/log", query: [["sig", "1"]] }]);
		expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
	});

	test("fails with a redirect, which is not followed", async () => {
		const { url, server } = await stored(({ response }) => response.writeHead(302, { location: "/x" }).end());
		const fault = { kind: "broken", code: "not 200", sent: true, status: 302 };
		expect(await faultOf(fetched({ url }))).toEqual(fault);
		expect(server.requests).toHaveLength(1);
	});

	test("ends with its signal, or after too long a silence", async () => {
		const controller = new AbortController();
		const { url } = await stored(() => controller.abort());
		const ended = await faultOf(fetched({ url, signal: controller.signal }));
		expect(ended).toMatchObject({ kind: "aborted", sent: true });
		const silent = await faultOf(fetched({ url, timeoutMillis: 100 }));
		expect(silent).toMatchObject({ kind: "timeout", code: "UND_ERR_HEADERS_TIMEOUT" });
	});

	test("closes its connection when it is over", async () => {
		let closed = false;
		const { url } = await stored(({ response, socket }) => {
			socket.on("close", () => {
				closed = true;
			});
			response.end("abc");
		});
		expect(await fetched({ url })).toBe("abc");
		await vi.waitFor(() => expect(closed).toBe(true));
	});
});
