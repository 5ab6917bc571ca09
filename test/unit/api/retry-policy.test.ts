import { describe, expect, test } from "vitest";
import { CallClock } from "../../../src/api/call-clock";
import { type ApiError, NetworkError, RateLimitedError, worseOf } from "../../../src/api/errors";
import { ExchangeFault } from "../../../src/api/exchange-fault";
import { faultError } from "../../../src/api/fault-error";
import { limitsOf } from "../../../src/api/options";
import { mayRetry } from "../../../src/api/retry-policy";

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
});

test("certainty is never gained from a later attempt", () => {
	expect(worseOf(false, false)).toBe(false);
	expect(worseOf("unknown", false)).toBe("unknown");
	expect(worseOf(false, true)).toBe(true);
	expect(worseOf(true, "unknown")).toBe(true);
});
