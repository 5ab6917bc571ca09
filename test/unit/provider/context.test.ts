import { describe, expect, it, onTestFinished } from "vitest";
import { realTime } from "../../../src/client/read-back";
import { handlerOf } from "../../../src/provider/hosts/hosting";
import {
	adoptsEqual,
	createContext,
	KeyedLock,
} from "../../../src/provider/run/context";
import { NOWHERE } from "../../helpers/api-calls";

const contextOf = (
	env: NodeJS.ProcessEnv,
	write: (line: string) => void = () => {},
) => {
	const context = createContext({ env: { ...NOWHERE, ...env } }, write);
	onTestFinished(() => context.client.close());
	return context;
};

it("a provider process prints a notice once for each text, and a line as often as it comes", () => {
	const told: string[] = [];
	const context = contextOf({}, (line) => told.push(line));
	for (const text of ["one", "two", "one"]) {
		context.notice(text);
		context.line(`line ${text}`);
	}
	expect(told).toEqual(["one", "line one", "two", "line two", "line one"]);
});

describe("the consent of a run to take over what is equal", () => {
	it.each([
		["true", true],
		[" 1 ", true],
		["FALSE", false],
		["0", false],
		["  ", false],
		[undefined, false],
	])("is %j: %s", (text, given) => {
		expect(adoptsEqual({ env: { DATACHAIN_ADOPT_EQUAL: text } })).toBe(given);
	});

	it("is a deployment's: a context has it only where its host gives it", () => {
		expect(contextOf({ DATACHAIN_ADOPT_EQUAL: "true" }).adoptEqual).toBe(false);
	});

	it("is refused where it is neither", () => {
		const refused = () => adoptsEqual({ env: { DATACHAIN_ADOPT_EQUAL: "Yes" } });
		expect(refused).toThrow(
			expect.objectContaining({ name: "ConnectionError", settings: [] }),
		);
		expect(refused).toThrow(
			'DATACHAIN_ADOPT_EQUAL cannot be "yes": set it to true for one deployment that adopts objects equal to the declaration, or unset it.',
		);
	});
});

it("a kind of resource that this version does not have is refused with what to do", () => {
	expect(() => handlerOf("Nothing")).toThrow(
		'This version of pulumi-datachain has no resource "Nothing". Install the version that wrote this state, or a newer one.',
	);
});

it.each(["before", "after"])(
	"a sleep ends early where its signal fires %s it begins",
	async (when) => {
		const stop = new AbortController();
		if (when === "before") stop.abort();
		const asleep = realTime.sleep(3_600_000, stop.signal);
		stop.abort();
		await expect(asleep).resolves.toBeUndefined();
	},
);

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the lock per name", () => {
	it("runs one at a time per key, in order, and goes on after a failure", async () => {
		const lock = new KeyedLock();
		const seen: string[] = [];
		const work = (name: string, fails = false) =>
			lock.run("key", async () => {
				seen.push(`${name} starts`);
				await turn();
				seen.push(`${name} ends`);
				if (fails) throw new Error(name);
			});
		const results = await Promise.allSettled([
			work("a").then(() => work("c")),
			work("b", true),
		]);
		expect(seen).toEqual([
			"a starts",
			"a ends",
			"b starts",
			"b ends",
			"c starts",
			"c ends",
		]);
		expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
	});

	it("does not hold up other keys", async () => {
		const lock = new KeyedLock();
		void lock.run("a", () => new Promise(() => {}));
		expect(await lock.run("b", async () => "fast")).toBe("fast");
	});
});
