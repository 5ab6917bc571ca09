import { describe, expect, it } from "vitest";
import { AbortedError, type ApiError, NetworkError, RateLimitedError, ServerError } from "../../../src/api";
import type { Call } from "../../../src/provider/context";
import { failureIsUndefined, sendOnce } from "../../../src/provider/runs/send-once";

const facts = {
	what: "start a job",
	method: "POST",
	path: "/jobs/",
	attempts: 1,
	teamName: "ml",
	namesObject: false,
	receivedBefore: false,
	baseUrl: "http://127.0.0.1:1",
} as const;
const limited = (millis?: number) => new RateLimitedError(facts, 429, undefined, millis);

/** Sends what fails with these errors, one after the other, and then succeeds. */
async function sent(errors: readonly Error[]) {
	const slept: number[] = [];
	const call = { time: { sleep: async (millis: number) => void slept.push(millis) } } as unknown as Call;
	const left = [...errors];
	const result = await sendOnce(call, async () => {
		const error = left.shift();
		if (error) throw error;
		return "done";
	}).catch((error: unknown) => error);
	return { result, slept, sends: errors.length - left.length };
}

describe("a request that must not be repeated", () => {
	it("is sent once where it succeeds", async () => {
		expect(await sent([])).toEqual({ result: "done", slept: [], sends: 0 });
	});

	it("is sent again after a limiter's refusal, when the limiter says, or after a second", async () => {
		const errors = [limited(7_000), limited(), limited(30_000), limited(0)];
		expect(await sent(errors)).toEqual({ result: "done", slept: [7_000, 1_000, 30_000, 0], sends: 4 });
	});

	it("is not sent again where the limiter asks for more than half a minute", async () => {
		const error = limited(30_001);
		expect(await sent([error])).toEqual({ result: error, slept: [], sends: 1 });
	});

	it("is given up after six refusals", async () => {
		const errors = Array.from({ length: 9 }, () => limited(1));
		expect(await sent(errors)).toEqual({ result: errors[5], slept: [1, 1, 1, 1, 1], sends: 6 });
	});

	it.each([
		new NetworkError(facts, "ECONNRESET", "unknown"),
		new ServerError(facts, 503, undefined, 1_000),
		new TypeError("a bug"),
	])("is not sent again after %s", async (error) => {
		expect(await sent([error])).toEqual({ result: error, slept: [], sends: 1 });
	});
});

describe("a look that fails", () => {
	it("counts as nothing seen", () => {
		expect(failureIsUndefined(new NetworkError(facts, "ECONNRESET", "unknown"))).toBeUndefined();
	});

	it.each([new TypeError("a bug"), Object.create(AbortedError.prototype) as ApiError])(
		"is thrown on where it is a bug, or the user's wish",
		(error) => {
			expect(() => failureIsUndefined(error)).toThrow();
		},
	);
});
