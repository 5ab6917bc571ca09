import { describe, expect, it } from "vitest";
import { AbortedError, type CallOptions, NetworkError } from "../../../src/api";
import type { Call } from "../../../src/provider/context";
import { BeforeRequest, makeOnce, UnclearError } from "../../../src/provider/outcome";
import { callFacts } from "../../helpers/api-calls";

const item = (id: number, created_at?: string | null) => ({ id, created_at });

describe("what a create request may have made", () => {
	const before = new BeforeRequest([
		item(1, "2026-01-01T00:00:00Z"),
		item(2, "2026-01-01T00:01:00Z"),
		item(3),
	]);

	it.each<[string, ReturnType<typeof item>, boolean]>([
		["is nothing that was there before, however young it looks", item(1, "2026-01-02T00:00:00Z"), false],
		["is what came after the newest", item(4, "2026-01-01T00:01:01Z"), true],
		["is also what looks two seconds older, by rounding", item(4, "2026-01-01T00:00:58Z"), true],
		[
			"is not what is older than that: it was only missing from the list",
			item(4, "2026-01-01T00:00:57Z"),
			false,
		],
		["is also what does not say when it was made", item(4), true],
		["is also what has no time", item(4, null), true],
	])("%s", (_, made, may) => {
		expect(before.mayHaveMade(made)).toBe(may);
	});

	it("is anything where nothing was there, or nothing that says when it was made", () => {
		expect(new BeforeRequest<number>([]).mayHaveMade(item(4, "1970-01-01T00:00:00Z"))).toBe(true);
		expect(new BeforeRequest([item(3)]).mayHaveMade(item(4, "1970-01-01T00:00:00Z"))).toBe(true);
	});
});

const facts = callFacts({ what: "start a job" });
const lost = () => Promise.reject(new NetworkError(facts, "ECONNRESET", "unknown"));

describe("a create that is sent once", () => {
	const call = { readBackDelays: [1], time: { sleep: async () => {} } } as unknown as Call;
	const unclear = (why: string) => new UnclearError(why);
	const answered = async () => ({});
	const cutOff = async () => {
		throw new AbortedError(callFacts({ what: "look" }), false);
	};

	it.each<[string, () => Promise<object>, () => Promise<object | string>, RegExp]>([
		[
			"the response was read",
			answered,
			cutOff,
			/^the service responded, but the operation ended before the new object could be read\.$/,
		],
		["the response named nothing", answered, async () => "it named nothing.", /^it named nothing\. .*look/],
		["the response was lost", lost, answered, /start a job.*look/],
	])("is unclear if the time is over after %s", async (_, send, identify, why) => {
		const failure = await makeOnce(call, send, identify, cutOff, unclear).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(UnclearError);
		expect(failure).toMatchObject({ message: expect.stringMatching(why), cause: expect.any(AbortedError) });
	});

	it("created nothing if the look before a repetition fails: only a refused request is repeated", async () => {
		const repeat = async ({ mayRepeat }: CallOptions) => ({ again: await mayRepeat?.() });
		const failure = await makeOnce(call, repeat, answered, lost, unclear).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(NetworkError);
	});

	it("was not sent if the time is over before", async () => {
		const failure = await makeOnce(call, cutOff, cutOff, cutOff, unclear).catch((error: unknown) => error);
		expect(failure).toBeInstanceOf(AbortedError);
	});
});
