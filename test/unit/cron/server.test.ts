import { expect, test } from "vitest";
import { readCron } from "../../../src/server/inputs";

test("the local server takes an expression that schedulers read in different ways, as croniter does", () => {
	expect(readCron("0 0 */2 * 1", false)).toBe("0 0 */2 * 1");
	expect(readCron(" 0  0 5-5 * * ", true)).toBe("0 0 5-5 * *");
});

test("the local server refuses a macro with white space around it, as croniter does", () => {
	expect(() => readCron("@hourly ", false)).toThrow("white space");
	expect(readCron("@hourly", true)).toBe("0 * * * *");
});

test("the local server refuses what cannot be read", () => {
	expect(() => readCron("0 0 32 * *", false)).toThrow("cron_expression");
	expect(() => readCron("0 0 30 2 1", false)).toThrow("never occurs");
});
