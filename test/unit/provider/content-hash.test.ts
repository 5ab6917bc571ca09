import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/provider/job-file/content-hash";
import { isHashOf, saltedHash } from "../../../src/provider/shared/salted-hash";

const plain = sha256("1234");

describe("the stored hash of a secret content", () => {
	it("does not show the plain hash, and differs from one resource to the next", () => {
		const [one, two] = [saltedHash(plain, undefined), saltedHash(plain, undefined)];
		expect(one).not.toContain(plain);
		expect(one).not.toBe(two);
	});

	it("stays the same for the same content, and changes with it", () => {
		const stored = saltedHash(plain, undefined);
		expect(saltedHash(plain, stored)).toBe(stored);
		expect(saltedHash(sha256("1235"), stored)).not.toBe(stored);
	});

	it("gets a salt of its own where the state has a plain hash or none", () => {
		expect(isHashOf(saltedHash(plain, plain), plain)).toBe(true);
		expect(saltedHash(plain, plain)).not.toContain(plain);
	});

	it("is recognized in both forms, and nothing else is", () => {
		expect(isHashOf(plain, plain)).toBe(true);
		expect(isHashOf(saltedHash(plain, undefined), plain)).toBe(true);
		for (const other of [
			undefined,
			7,
			"",
			"scrypt:00",
			sha256("1235"),
			saltedHash(sha256("1235"), undefined),
		]) {
			expect(isHashOf(other, plain)).toBe(false);
		}
	});
});
