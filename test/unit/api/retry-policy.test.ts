import { describe, expect, test } from "vitest";
import { CallClock } from "../../../src/api/call-clock";
import {
	type ApiError,
	NetworkError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	TimeoutError,
	UnexpectedReplyError,
} from "../../../src/api/errors";
import { worseOf } from "../../../src/api/errors/api-error";
import { faultError } from "../../../src/api/fault-error";
import { limitsOf } from "../../../src/api/options";
import { askedDelay, mayRetry } from "../../../src/api/retry-policy";
import { ExchangeFault } from "../../../src/api/transport";

const call = {
	what: "try",
	method: "POST",
	path: "/x",
	attempts: 1,
	teamName: "ml",
	receivedBefore: false,
} as const;

function errorOf(fault: ExchangeFault): ApiError {
	const clock = new CallClock(1000, undefined);
	clock.close();
	return faultError(fault, call, clock, limitsOf({}));
}
const verdicts = (error: ApiError) =>
	(["always", "unreceived", "never"] as const).map((retry) => mayRetry(retry, error));

describe("what may be sent again", () => {
	test("a connection that did not come about in time: by all but `never`", () => {
		const error = errorOf(new ExchangeFault("connect-timeout", "UND_ERR_CONNECT_TIMEOUT", false));
		expect(error).toMatchObject({ name: "TimeoutError", kind: "connect", received: false });
		expect(verdicts(error)).toEqual([true, true, false]);
	});

	test("a connection that died after the request went out: by `always` only", () => {
		const error = errorOf(new ExchangeFault("connect-timeout", "ETIMEDOUT", true));
		expect(error).toMatchObject({ name: "TimeoutError", kind: "reply", received: "unknown" });
		expect(verdicts(error)).toEqual([true, false, false]);
	});

	test.each([
		"DEPTH_ZERO_SELF_SIGNED_CERT",
		"ERR_TLS_CERT_ALTNAME_INVALID",
		"UNABLE_TO_VERIFY_LEAF_SIGNATURE",
		"UND_ERR_DESTROYED",
	])("%s: by none, because it stays", (code) => {
		expect(verdicts(errorOf(new ExchangeFault("network", code, false)))).toEqual([false, false, false]);
	});

	test("a rate limit after an attempt that may have done the work: not by `unreceived`", () => {
		const error = new RateLimitedError({ ...call, receivedBefore: "unknown" }, 429, undefined, undefined);
		expect(verdicts(error)).toEqual([true, false, false]);
	});

	// A real lookup would leave this machine, so the codes stand for it.
	test.each(["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED"])(
		"%s before anything was sent: by all but `never`",
		(code) => {
			const error = errorOf(new ExchangeFault("network", code, false));
			expect(error).toMatchObject({ name: "NetworkError", code, received: false });
			expect(verdicts(error)).toEqual([true, true, false]);
		},
	);

	test("a reset: by `always` only", () => {
		expect(verdicts(new NetworkError(call, "ECONNRESET", "unknown"))).toEqual([true, false, false]);
	});

	const lost = { ...call, receivedBefore: "unknown" } as const;
	test.each<[string, () => ApiError, boolean, boolean]>([
		["a rate limit", () => new RateLimitedError(call, 429, undefined, undefined), true, true],
		[
			"a refused connection after a lost attempt",
			() => new NetworkError(lost, "ECONNREFUSED", false),
			true,
			false,
		],
		["no connection after a lost attempt", () => new TimeoutError(lost, "connect", false, 1), true, false],
		["silence that was surely not heard", () => new TimeoutError(call, "reply", false, 1), true, false],
		["the service's own limit of time", () => new TimeoutError(call, "server", "unknown", 0), true, false],
		["the deadline of the call", () => new TimeoutError(call, "deadline", false, 1), false, false],
		["patience that ran out", () => new TimeoutError(call, "admission", false, 1), false, false],
		["a failure of the service", () => new ServerError(call, 500, undefined, undefined), true, false],
		[
			"a reply that was cut off",
			() => new UnexpectedReplyError(call, { why: "", received: true, broken: true }),
			true,
			false,
		],
		[
			"a reply of another form",
			() => new UnexpectedReplyError(call, { why: "", received: true }),
			false,
			false,
		],
		["a refusal", () => new RefusedError(call, 200, undefined), false, false],
		["what is not there", () => new NotFoundError(call, 404, "no", true), false, false],
	])("%s", (_, error, always, unreceived) => {
		expect(verdicts(error())).toEqual([always, unreceived, false]);
	});
});

test.each<[string, () => ApiError, number | undefined]>([
	["a rate limit", () => new RateLimitedError(call, 429, undefined, 7), 7],
	["a failing service", () => new ServerError(call, 503, undefined, 7), 7],
	[
		"a failing service that says nothing of time",
		() => new ServerError(call, 503, undefined, undefined),
		undefined,
	],
	["a lost connection", () => new NetworkError(call, "ECONNRESET", "unknown"), undefined],
])("the wait that %s asks for", (_, error, millis) => {
	expect(askedDelay(error())).toBe(millis);
});

test.each<[ExchangeFault, object, string]>([
	[
		new ExchangeFault("reply-timeout", "UND_ERR_HEADERS_TIMEOUT", true),
		{ name: "TimeoutError", kind: "reply", received: "unknown" },
		"the service was silent for 20 s",
	],
	[
		new ExchangeFault("too-large", "over", true, 200),
		{ name: "UnexpectedReplyError", status: 200, received: true, broken: false },
		"the reply is larger than the limit of 33554432 bytes. Narrow the request. Programs that use the client themselves can raise its maxReplyBytes.",
	],
	[
		new ExchangeFault("broken", "HPE_INVALID_CONSTANT", true),
		{ name: "UnexpectedReplyError", status: undefined, received: "unknown", broken: true },
		"the reply is broken or cut off (HPE_INVALID_CONSTANT). Check that the base URL",
	],
	[
		new ExchangeFault("aborted", "UND_ERR_ABORTED", true),
		{ name: "NetworkError", code: "UND_ERR_ABORTED", received: "unknown" },
		"the network failed (UND_ERR_ABORTED)",
	],
])("$message becomes the error that it stands for", (fault, properties, says) => {
	const error = errorOf(fault);
	expect(error).toMatchObject(properties);
	expect(error.message).toContain(`: ${says}`);
});

test.each([
	["its caller", { name: "AbortedError", code: "ABORT_ERR", received: "unknown" }],
	["its deadline", { name: "TimeoutError", kind: "deadline", received: "unknown" }],
])("a call that was ended by %s says so, whatever broke then", async (by, properties) => {
	const broken = new ExchangeFault("network", "ECONNRESET", true);
	const clock = new CallClock(by === "its caller" ? 60_000 : 1);
	if (by === "its caller") clock.cancel();
	await clock.wait(60_000);
	clock.close();
	expect(faultError(broken, call, clock, limitsOf({}))).toMatchObject(properties);
});

test("certainty is never gained from a later attempt", () => {
	expect(worseOf(false, false)).toBe(false);
	expect(worseOf("unknown", false)).toBe("unknown");
	expect(worseOf(false, true)).toBe(true);
	expect(worseOf(true, "unknown")).toBe(true);
});
