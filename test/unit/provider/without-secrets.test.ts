import { describe, expect, it } from "vitest";
import { withoutSecrets } from "../../../src/provider/runs/without-secrets";

const clean = (inputs: object, ...secrets: string[]) => withoutSecrets({ secrets }, { ...inputs });

describe("a line of a job's log", () => {
	it("loses the secrets that the job was given, wherever they are", () => {
		const inputs = {
			environment: { KEY: "sesame-open-42", PLAIN: "not-a-secret" },
			storage: { s3: { secret: "another-secret" }, list: [{ key: "third-secret" }, null, 7] },
		};
		const shown = clean(inputs, "environment.KEY", "storage");
		expect(shown("sesame-open-42 another-secret third-secret not-a-secret s3 list")).toBe(
			"[redacted] [redacted] [redacted] not-a-secret s3 list",
		);
	});

	it("loses each line of a secret of several, without the spaces around it", () => {
		const shown = clean(
			{ environment: { KEY: "first-line-x\r\n  second-line-y  \nthird-line-z" } },
			"environment.KEY",
		);
		expect(shown("at second-line-y, first-line-x; third-line-z")).toBe(
			"at [redacted], [redacted]; [redacted]",
		);
		expect(shown("s  first-line-x")).toBe("s  [redacted]");
	});

	it("loses the credentials of a URL", () => {
		expect(clean({})("cloning https://me:word@example.com/repo.git")).not.toContain("word");
	});

	it.each([
		["a\tb", "a    b"],
		["  indented", "  indented"],
		["ends in spaces  ", "ends in spaces"],
		["red \u001b[31mtext\u0007", "red  [31mtext"],
		["two\u2028lines\u2029in\r\none", "two lines in one"],
		["half of \ud83d a pair", "half of   a pair"],
		["", ""],
	])("%j is shown as %j", (text, shown) => {
		expect(clean({})(text)).toBe(shown);
	});

	it("is cut after two thousand characters, and no character in two", () => {
		expect(clean({})("x".repeat(2_000))).toBe("x".repeat(2_000));
		expect(clean({})("x".repeat(2_001))).toBe(`${"x".repeat(2_000)}…`);
		expect(clean({})(`${"x".repeat(1_999)}🙂🙂`)).toBe(`${"x".repeat(1_999)}…`);
	});
});
