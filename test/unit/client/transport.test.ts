import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { WasReceived } from "../../../src/client/errors";
import { type ClientOptions, limitsOf } from "../../../src/client/options";
import {
	createTransport,
	download,
	type Exchange,
} from "../../../src/client/transport";
import { callFacts } from "../../helpers/api-calls";
import { clockOf } from "../../helpers/api-connect";
import {
	failureOf,
	json,
	loopbackOfTest,
	startRawServer,
} from "../../helpers/api-servers";
import type { Exchange as Served } from "../../helpers/raw-server";

async function served(
	answer: (exchange: Served) => void,
	options: ClientOptions = {},
	path = "/api",
) {
	const server = await startRawServer(answer);
	return { server, ...transportTo(`${server.url}${path}`, options) };
}

function transportTo(url: string, options: ClientOptions = {}) {
	const transport = createTransport(url, "t0ken", limitsOf(options));
	onTestFinished(() => transport.close());
	const send = (given: Partial<Exchange> = {}) =>
		transport.exchange({
			facts: callFacts({ method: "GET" }),
			clock: clockOf(),
			target: "/x",
			headers: {},
			...given,
		});
	return { transport, send };
}

const cutOff = (status: number) => (exchange: Served) =>
	void exchange.response
		.writeHead(status, { "content-length": "999" })
		.write("part", () => exchange.socket.destroy());

test("an exchange sends method, path, headers, token and body below the base URL, and returns the reply", async () => {
	const { server, send } = await served(
		({ response }) => json(response, 418, { a: 1 }, { "x-own": "yes" }),
		{ userAgent: "me", maxReplyBytes: 7 },
		"/tenant/api",
	);
	const clock = clockOf();
	const facts = callFacts();
	const reply = await send({
		facts,
		clock,
		target: "/x?a=1",
		headers: { "x-mine": "1" },
		body: "text",
	});
	expect(getEventListeners(clock.signal, "abort")).toEqual([]);
	expect(reply).toMatchObject({ status: 418, headers: { "x-own": "yes" } });
	expect(String(reply.body)).toBe('{"a":1}');
	expect(server.requests).toMatchObject([
		{
			method: "POST",
			path: "/tenant/api/x",
			query: [["a", "1"]],
			headers: {
				accept: "application/json",
				"accept-encoding": "identity",
				"user-agent": "me",
				authorization: "Bearer t0ken",
				"x-mine": "1",
			},
			body: "text",
		},
	]);
	await send({
		facts,
		body: Readable.from(["a", "b"]),
		headers: { "content-length": "2" },
	});
	expect(server.requests[1]?.body).toBe("ab");
});

describe("an exchange is broken by", () => {
	const cut = { name: "NetworkError", code: "UND_ERR_SOCKET", received: "unknown" };
	const broken = {
		name: "UnexpectedReplyError",
		status: undefined,
		received: "unknown",
		transient: true,
	};
	const tooLarge = { ...broken, transient: false };
	const TOO_LARGE =
		"the response is larger than the limit of 1000 bytes. Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.";
	const BROKEN = "the response is broken or cut off (";
	const notHttp = ({ socket }: Served) => socket.end("hello\r\n\r\n");
	const longHead = ({ response }: Served) =>
		response.writeHead(200, { "x-long": "x".repeat(20_000) }).end();
	const longBody = ({ response }: Served) => response.write("x".repeat(1001));
	const badChunks = ({ socket }: Served) =>
		socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
	test.each<[string, (exchange: Served) => void, error: object, says: string]>([
		[
			"a connection that is cut",
			({ socket }) => socket.destroy(),
			cut,
			"the connection was cut before",
		],
		["what is not HTTP", notHttp, broken, `${BROKEN}H`],
		["too long a head", longHead, tooLarge, TOO_LARGE],
		[
			"chunks that are none",
			badChunks,
			{ ...broken, status: 200, received: true },
			`${BROKEN}H`,
		],
		[
			"too long a body, which may never end",
			longBody,
			{ ...tooLarge, status: 200, received: true },
			TOO_LARGE,
		],
		[
			"a body that is cut off",
			cutOff(399),
			{ ...broken, status: 399, received: true },
			`${BROKEN}UND_ERR_SOCKET). Check that the base URL`,
		],
	])("%s", async (_, answer, error, says) => {
		const { send } = await served(answer, { maxReplyBytes: 1000 });
		const found = await failureOf(send());
		expect(found).toMatchObject(error);
		expect(String(found)).toContain(`: ${says}`);
	});

	test("not by an error reply whose body is cut off: its status is enough", async () => {
		const { send } = await served(cutOff(400));
		const reply = await send();
		expect([reply.status, reply.body.length]).toEqual([400, 0]);
	});

	test.concurrent.each<[string, (exchange: Served) => void, received: WasReceived]>([
		["before the head", () => {}, "unknown"],
		["within the body", ({ response }) => response.writeHead(200).write("part"), true],
	])("silence %s", async (_, answer, received) => {
		const { send } = await served(answer, { attemptTimeoutMillis: 100 });
		const error = await failureOf(send());
		expect(error).toMatchObject({ name: "TimeoutError", kind: "reply", received });
		expect(String(error)).toContain("the service was silent for 0.1 s");
	});

	test("no connection, before anything was sent", async () => {
		const { send } = transportTo("http://localhost:1/api");
		const unconnected = { name: "NetworkError", code: "ECONNREFUSED", received: false };
		expect(await failureOf(send())).toMatchObject(unconnected);
	});

	test("a proxy that does not answer, before anything was sent", async () => {
		const { url } = await loopbackOfTest(createServer().on("connect", () => {}));
		for (const name of ["NO_PROXY", "no_proxy"]) vi.stubEnv(name, "");
		vi.stubEnv("HTTPS_PROXY", url);
		onTestFinished(() => void vi.unstubAllEnvs());
		const { send } = transportTo("https://studio.test/api", {
			attemptTimeoutMillis: 50,
		});
		const unconnected = { name: "TimeoutError", kind: "connect", received: false };
		expect(await failureOf(send())).toMatchObject(unconnected);
	});
});

describe("a clock that stops", () => {
	const aborted = (received: WasReceived) => ({ name: "AbortedError", received });

	test("ends the wait for a connection, and the request counts as not sent", async () => {
		const server = new AbortController();
		const arrived = once(server.signal, "abort");
		const { send } = await served(() => server.abort(), {
			maxConnections: 1,
			maxConcurrentWrites: 1,
		});
		const [one, other] = [clockOf(), clockOf()];
		const first = failureOf(send({ clock: one }));
		const second = failureOf(send({ clock: other }));
		await arrived;
		other.cancel();
		expect(await second).toMatchObject(aborted(false));
		one.cancel();
		expect(await first).toMatchObject(aborted("unknown"));
		expect(getEventListeners(one.signal, "abort")).toEqual([]);
	});

	test("within the body of a refusal is the reason that is reported", async () => {
		const { send } = await served(
			({ response }) => void response.writeHead(500).write("part"),
		);
		const late = { name: "TimeoutError", kind: "deadline", received: true };
		expect(await failureOf(send({ clock: clockOf(100) }))).toMatchObject(late);
	});
});

test("a transport that is closed ends running requests, and sends no more", async () => {
	const server = new AbortController();
	const arrived = once(server.signal, "abort");
	const { transport, send } = await served(() => server.abort());
	const running = failureOf(send());
	await arrived;
	await transport.close();
	expect(await running).toMatchObject({
		code: "UND_ERR_DESTROYED",
		received: "unknown",
	});
	expect(await failureOf(send())).toMatchObject({
		code: "UND_ERR_DESTROYED",
		received: false,
	});
});

test("a download follows no redirect, and ends with its signal or after too long a silence", async () => {
	const leaving = new AbortController();
	const server = await startRawServer(({ index, response }) => {
		if (index === 0) response.writeHead(302, { location: "/x" }).end();
		if (index === 1) leaving.abort();
	});
	const { signal } = leaving;
	const begun = (timeoutMillis = 5_000, ends = signal) =>
		failureOf(download(new URL(server.url), timeoutMillis, ends).next());
	expect(await begun()).toMatchObject({ code: "status 302" });
	expect(await begun()).toMatchObject({ name: "AbortError" });
	expect(await begun(100, new AbortController().signal)).toMatchObject({
		code: "UND_ERR_HEADERS_TIMEOUT",
	});
	expect(server.requests).toHaveLength(3);
});
