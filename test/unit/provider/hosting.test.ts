import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AbortedError, type CallScope } from "../../../src/client";
import { UnclearError } from "../../../src/operations/create-once";
import { withinTime } from "../../../src/provider/hosts/hosting";
import type { Call } from "../../../src/provider/run/context";
import { callFacts } from "../../helpers/api-calls";

const SECOND = 1_000;
const FACTS = callFacts({ action: "list pipelines", method: "GET" });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An operation that goes on until it is told to end, with what its client's requests would ask for. */
function operation() {
	let scope: CallScope = {};
	let finish: (error?: Error) => void = () => {};
	const client = {
		scoped: (given: CallScope) => {
			scope = given;
		},
	};
	const call = { client, urn: "urn:pulumi:dev::shop::t::nightly" } as unknown as Call;
	const work = () =>
		new Promise<string>((resolve, reject) => {
			finish = (error) => (error ? reject(error) : resolve("done"));
		});
	const result = withinTime(call, work);
	return { result, finish, request: () => scope.clock?.().signal, scope: () => scope };
}

const pass = (millis: number) => vi.advanceTimersByTime(millis);

describe("the time of an operation", () => {
	it("is a minute from its first request, and its requests name the resource", async () => {
		const { result, finish, request, scope } = operation();
		expect(scope().resource).toBe('"nightly"');
		pass(100 * SECOND);
		const signal = request();
		pass(60 * SECOND - 1);
		expect(signal?.aborted).toBe(false);
		expect(request()).toBe(signal);
		pass(1);
		expect(signal?.aborted).toBe(true);
		finish();
		expect(await result).toBe("done");
	});

	it.each([["ends"], ["fails"]])("leaves no timer behind when it %s", async (how) => {
		const { result, finish, request } = operation();
		request();
		expect(vi.getTimerCount()).toBe(1);
		finish(how === "fails" ? new Error("no") : undefined);
		await result.catch(() => undefined);
		expect(vi.getTimerCount()).toBe(0);
	});
});

describe("an operation that fails", () => {
	const cancelled = new AbortedError(FACTS, false);
	/** It fails so after its first request, and after its time unless that is not over. */
	const failing = (error: Error, isLate = true) => {
		const { result, finish, request } = operation();
		request();
		if (isLate) pass(60 * SECOND);
		finish(error);
		return expect(result).rejects;
	};

	it("because its time is over says so, with what to do", async () => {
		await failing(cancelled).toThrow(
			`Gave up after 60 seconds. ${cancelled.message} Check that the service answers, then run the command again.`,
		);
	});

	it("halfway because its time is over says so, and stays what it is", async () => {
		const partly = Object.assign(
			new Error("half of it is done.", { cause: cancelled }),
			{ id: "7" },
		);
		await failing(partly).toBe(partly);
		expect(partly).toMatchObject({
			id: "7",
			message:
				"Gave up after 60 seconds. half of it is done. Check that the service answers, then run the command again.",
		});
	});

	it("without knowing whether something was created keeps its own advice, because another run could create a second one", async () => {
		const unclear = new UnclearError("It may exist. Look for it.", {
			cause: cancelled,
		});
		await failing(unclear).toThrow(
			/^Gave up after 60 seconds\. It may exist\. Look for it\.$/,
		);
	});

	it.each<[string, Error, boolean]>([
		["because the user cancelled it", cancelled, false],
		["for its own reason after its time", new Error("no"), true],
	])("%s says only that", async (_, error, isLate) => {
		await failing(error, isLate).toBe(error);
	});
});
