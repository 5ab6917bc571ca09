import { describe, expect, it } from "vitest";
import { KeyedLock } from "../../../src/provider/shared/keyed-lock";

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
		const results = await Promise.allSettled([work("a"), work("b", true), work("c")]);
		expect(seen).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
		expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	});

	it("does not hold up other keys", async () => {
		const lock = new KeyedLock();
		let release = () => {};
		const slow = lock.run("a", () => new Promise<void>((resolve) => (release = resolve)));
		expect(await lock.run("b", async () => "fast")).toBe("fast");
		let next = "waiting";
		const waiting = lock.run("a", async () => (next = "ran"));
		await turn();
		expect(next).toBe("waiting");
		release();
		await Promise.all([slow, waiting]);
		expect(next).toBe("ran");
	});
});
