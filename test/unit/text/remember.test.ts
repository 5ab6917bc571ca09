import { expect, test } from "vitest";
import { remembering } from "../../../src/text/remember";

function counted<T>(work: (text: string) => T): {
	read: (text: string) => T;
	count: () => number;
} {
	let calls = 0;
	const read = remembering((text) => {
		calls += 1;
		return work(text);
	});
	return { read, count: () => calls };
}

test("a failure is not remembered", () => {
	const { read, count } = counted((text): string => {
		throw new Error(text);
	});
	expect(() => read("a")).toThrow("a");
	expect(() => read("a")).toThrow("a");
	expect(count()).toBe(2);
});

test("at most 2,000 are kept", () => {
	const { read, count } = counted((text) => text);
	for (let index = 0; index < 2_000; index += 1) read(String(index));
	read("0");
	expect(count()).toBe(2_000);
	read("one more");
	read("0");
	read("one more");
	expect(count()).toBe(2_002);
});
