import { describe, expect, it } from "vitest";
import { AbortedError, type CallOptions, NetworkError } from "../../../src/client";
import {
	BeforeRequest,
	type CreateRequest,
	createdAt,
	createExactlyOnce,
	failureIsUndefined,
	runAgain,
	UnclearError,
} from "../../../src/operations/create-once";
import { adoptIfCreated } from "../../../src/provider/model/messages";
import { callFacts } from "../../helpers/api-calls";

const item = (id: number, created_at?: string | null) => ({ id, created_at });

describe("what a create request may have made", () => {
	const before = new BeforeRequest([
		item(1, "2026-01-01T00:00:00Z"),
		item(2, "2026-01-01T00:01:00Z"),
		item(3),
	]);

	it.each<[string, ReturnType<typeof item>, boolean]>([
		[
			"is nothing that was there before, however young it looks",
			item(1, "2026-01-02T00:00:00Z"),
			false,
		],
		["is what came after the newest", item(4, "2026-01-01T00:01:01Z"), true],
		[
			"is also what looks two seconds older, by rounding",
			item(4, "2026-01-01T00:00:58Z"),
			true,
		],
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
		expect(
			new BeforeRequest<number>([]).mayHaveMade(item(4, "1970-01-01T00:00:00Z")),
		).toBe(true);
		expect(
			new BeforeRequest([item(3)]).mayHaveMade(item(4, "1970-01-01T00:00:00Z")),
		).toBe(true);
	});

	it("is also what has the id of an object that this deployment deleted, if it is not older", () => {
		expect(before.mayHaveMade(item(1, "2026-01-02T00:00:00Z"), true)).toBe(true);
		expect(before.mayHaveMade(item(1, "2026-01-01T00:00:00Z"), true)).toBe(false);
	});

	it("has its time of creation from the service", () => {
		expect([
			createdAt(item(1)),
			createdAt(item(1, null)),
			createdAt(item(1, "1970-01-01T00:00:01Z")),
		]).toEqual([undefined, undefined, 1_000]);
	});
});

interface Made {
	readonly id: number;
}
const facts = callFacts({ action: "start a job" });
const lost = () => Promise.reject(new NetworkError(facts, "ECONNRESET", "unknown"));
const cutOff = () =>
	Promise.reject(new AbortedError(callFacts({ action: "look", method: "GET" }), false));

/** A create of a job whose parts can be replaced, with what was asked in which order. */
function creating(parts: Partial<CreateRequest<object, Made>>) {
	const asked: string[] = [];
	const log =
		<Args extends unknown[], T>(what: string, ask: (...args: Args) => T) =>
		(...args: Args): T => {
			asked.push(what);
			return ask(...args);
		};
	const { send, identify, candidates, ...words }: CreateRequest<object, Made> = {
		subject: 'job "a"',
		team: "ml",
		listedBy: "jobs",
		describe: ({ id }) => `id ${id}`,
		advice: adoptIfCreated,
		send: async () => ({}),
		identify: async () => ({ id: 1 }),
		candidates: async () => [],
		...parts,
	};
	const sleep = async (millis: number) => void asked.push(`wait ${millis}`);
	const context = { readBackDelays: [1, 2], time: { now: () => 0, sleep } };
	const request = {
		...words,
		send: log("send", send),
		identify: log("identify", identify),
		candidates: log("search", candidates),
	};
	return { asked, made: () => createExactlyOnce(context, request) };
}
const failureOf = (made: () => Promise<unknown>) =>
	made().then(
		() => undefined,
		(error: unknown) => error as Error,
	);

const COULD =
	'Could not tell whether job "a" was created in team "ml": the response named nothing. It was not sent again, because that could ' +
	"create a second one.";
const NAMED_NOTHING = { identify: async () => "the response named nothing." };

describe("a create that is sent once", () => {
	it("has what its response names, and searches for nothing", async () => {
		const { asked, made } = creating({});
		expect(await made()).toEqual({ id: 1 });
		expect(asked).toEqual(["send", "identify"]);
	});

	it("whose response is lost, or is not believed, has the one new object that is equal", async () => {
		for (const parts of [{ send: lost }, NAMED_NOTHING]) {
			let looks = 0;
			const candidates = async () => (++looks < 3 ? [] : [{ id: 7 }]);
			const { asked, made } = creating({ ...parts, candidates });
			expect(await made()).toEqual({ id: 7 });
			expect(asked.filter((each) => each !== "identify")).toEqual([
				"send",
				"search",
				"wait 1",
				"search",
				"wait 2",
				"search",
			]);
		}
	});

	it("has none of two new objects, and names both", async () => {
		const { made } = creating({
			...NAMED_NOTHING,
			candidates: async () => [{ id: 7 }, { id: 8 }],
		});
		expect(await failureOf(made)).toEqual(
			new UnclearError(
				`${COULD} The list shows id 7; id 8. Wait a minute, then run "pulumi-datachain jobs". Keep one, and delete or pause the others. ` +
					'Then run "DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
			),
		);
	});

	it("that no list shows gives the procedure, with objects of the name that it did not create", async () => {
		const { asked, made } = creating({
			...NAMED_NOTHING,
			others: () => ["id 9, with other values"],
		});
		expect(await failureOf(made)).toEqual(
			new UnclearError(
				`${COULD} The list shows id 9, with other values. Wait a minute, then run "pulumi-datachain jobs". Then run ` +
					'"DATACHAIN_ADOPT_EQUAL=true pulumi up" once. It adopts an equal object, or creates one if there is none.',
			),
		);
		expect(asked.filter((each) => each === "send")).toHaveLength(1);
	});

	it("of a command advises no deployment", async () => {
		const { made } = creating({ ...NAMED_NOTHING, advice: runAgain });
		expect(await failureOf(made)).toEqual(
			new UnclearError(
				`${COULD} Wait a minute, then run "pulumi-datachain jobs". If the list does not show it, run the command again.`,
			),
		);
	});

	it("names ten objects at most", async () => {
		const candidates = async () => Array.from({ length: 11 }, (_, id) => ({ id }));
		const failure = await failureOf(creating({ ...NAMED_NOTHING, candidates }).made);
		expect(failure?.message).toContain("id 8; id 9. Wait");
	});

	it("says why the list could not be read, and what is not known all the same", async () => {
		const candidates = () =>
			Promise.reject(
				new NetworkError(callFacts({ action: "list jobs" }), "ECONNRESET", "unknown"),
			);
		const failure = await failureOf(creating({ ...NAMED_NOTHING, candidates }).made);
		expect(failure).toBeInstanceOf(UnclearError);
		expect(failure?.message).toMatch(
			/: the response named nothing\. Could not list jobs.*It was not sent again/,
		);
	});

	it("passes on an error of its own code in the search", async () => {
		const broken = new TypeError("broken");
		expect(
			await failureOf(
				creating({ ...NAMED_NOTHING, candidates: () => Promise.reject(broken) }).made,
			),
		).toBe(broken);
	});

	it.each<[string, Partial<CreateRequest<object, Made>>, RegExp]>([
		[
			"the response was read",
			{ identify: cutOff },
			/: the service responded, but the operation ended before the new object could be read\. It was not sent again/,
		],
		[
			"the response named nothing",
			NAMED_NOTHING,
			/: the response named nothing\. .*It was not sent again/,
		],
		[
			"the response was lost",
			{ send: lost },
			/: Could not start a job.*It was not sent again/,
		],
	])("is unclear if the time is over after %s", async (_, parts, why) => {
		const failure = await failureOf(creating({ candidates: cutOff, ...parts }).made);
		expect(failure).toBeInstanceOf(UnclearError);
		expect(failure).toMatchObject({
			message: expect.stringMatching(why),
			cause: expect.any(AbortedError),
		});
	});

	it.each<[string, Error]>([
		["the service did not receive", new NetworkError(facts, "ECONNREFUSED", false)],
		["was cut off before it left", new AbortedError(facts, false)],
		["failed in our own code", new TypeError("broken")],
	])(
		"that %s fails with that reason alone, and nothing is searched for",
		async (_, error) => {
			const { asked, made } = creating({ send: () => Promise.reject(error) });
			expect(await failureOf(made)).toBe(error);
			expect(asked).toEqual(["send"]);
		},
	);
});

describe("a create that the rate limit refuses", () => {
	/** As the queue: asks before it sends again. */
	const repeating = async ({ mayRepeat }: CallOptions) => {
		if (await mayRepeat?.()) return {};
		throw new NetworkError(facts, "ECONNRESET", "unknown");
	};

	it("is repeated if the object is not there", async () => {
		const { asked, made } = creating({ send: repeating });
		expect(await made()).toEqual({ id: 1 });
		expect(asked).toEqual(["send", "search", "identify"]);
	});

	it("is not repeated if the object is there", async () => {
		const { asked, made } = creating({
			send: repeating,
			candidates: async () => [{ id: 7 }],
		});
		expect(await made()).toEqual({ id: 7 });
		expect(asked).toEqual(["send", "search"]);
	});

	it("created nothing if the look before the repetition fails", async () => {
		const { made } = creating({ send: repeating, candidates: lost });
		const failure = await failureOf(made);
		expect(failure).toBeInstanceOf(NetworkError);
		expect(failure).not.toBeInstanceOf(UnclearError);
	});
});

it("a failed read that follows a write shows nothing, unless it was cut off or is no answer of the service", () => {
	expect(
		failureIsUndefined(new NetworkError(facts, "ECONNRESET", "unknown")),
	).toBeUndefined();
	const others = [new AbortedError(facts, false), new TypeError("broken")];
	for (const error of others) expect(() => failureIsUndefined(error)).toThrow(error);
});
