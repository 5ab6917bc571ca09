import { describe, expect, test } from "vitest";
import { AbortedError, NetworkError, TimeoutError } from "../../../src/api/errors";
import type { CallFacts } from "../../../src/api/errors/api-error";

const call = (method: CallFacts["method"], given: Partial<CallFacts> = {}): CallFacts => ({
	what: "do it",
	method,
	path: "/x/",
	attempts: 2,
	teamName: "ml",
	receivedBefore: false,
	...given,
});

test("a cancelled call does not say that nothing was done where an earlier attempt may have done it", () => {
	expect(new AbortedError(call("POST"), false).message).toContain("Nothing was done.");
	const { message } = new AbortedError(call("POST", { receivedBefore: "unknown" }), false);
	expect(message).not.toContain("Nothing was done.");
	expect(message).toContain("Look whether the service did the work");
});

test("a connection that is refused after a lost write still says to look for its work", () => {
	const { message } = new NetworkError(call("POST", { receivedBefore: "unknown" }), "ECONNREFUSED", false);
	expect(message).toContain("Look whether the service did the work");
	expect(new NetworkError(call("POST"), "ECONNREFUSED", false).message).toContain("Check the base URL");
});

describe("what may have reached the service", () => {
	const kinds = [
		["a cancelled call", (facts: CallFacts) => new AbortedError(facts, "unknown")],
		["a lost connection", (facts: CallFacts) => new NetworkError(facts, "ECONNRESET", "unknown")],
		["a call out of time", (facts: CallFacts) => new TimeoutError(facts, "deadline", "unknown", 1000)],
	] as const;

	test.each(kinds)(
		"is looked for after %s that writes, and simply read again after one that reads",
		(_, errorOf) => {
			expect(errorOf(call("POST")).message).toContain("Look whether the service did the work");
			expect(errorOf(call("GET")).message).toContain(". Try again.");
			expect(errorOf(call("GET")).message).not.toContain("Look whether");
		},
	);
});
