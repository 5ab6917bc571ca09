import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SCHEDULE_FIELDS } from "../../../src/provider/pipeline-schedule/fields";
import { checkFields } from "../../../src/provider/shared/check-fields";
import { deepEqual, diffByTable } from "../../../src/provider/shared/field-table";
import { KeyedLock } from "../../../src/provider/shared/keyed-lock";
import { Ownership } from "../../../src/provider/shared/ownership";
import { UNKNOWN } from "../../../src/provider/shared/unknown";
import { scheduleArgsShape } from "../../../src/schemas/schedule-args";

const base = {
	scheduleName: "a",
	pipelineName: "p",
	cronExpression: "0 3 * * *",
	paused: false,
	teamName: "t",
};

describe("the diff of a schedule", () => {
	it.each([
		["nothing", {}, [], false],
		["another spelling of the cron", { cronExpression: "0 3 * * */1" }, [], false],
		["a macro for its expansion", { cronExpression: "@daily" }, [], true],
		["another pipeline", { pipelineName: "q" }, ["pipelineName"], true],
		["another team", { teamName: "u" }, ["teamName"], true],
		["paused", { paused: true }, [], true],
		["only adopt", { adopt: true }, [], false],
		["a pipeline not known yet", { pipelineName: UNKNOWN }, [], true],
		[
			"no cron any more",
			{ cronExpression: undefined, startAfter: "2030-01-01T00:00:00Z" },
			["cronExpression"],
			true,
		],
	])("%s", (_what, change, replaces, changes) => {
		expect(diffByTable(SCHEDULE_FIELDS, base, { ...base, ...change })).toEqual({
			changes,
			replaces,
			deleteBeforeReplace: replaces.length > 0,
		});
	});

	it("never replaces because of a value that is not known yet", () => {
		const unknowns = fc.subarray(Object.keys(base));
		fc.assert(
			fc.property(unknowns, (keys) => {
				const news = { ...base, ...Object.fromEntries(keys.map((key) => [key, UNKNOWN])) };
				expect(diffByTable(SCHEDULE_FIELDS, base, news).replaces).toEqual([]);
			}),
		);
	});

	it("does not depend on the order of keys", () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
				const reversed = Object.fromEntries(Object.entries(value).reverse());
				expect(deepEqual(value, reversed)).toBe(true);
			}),
		);
	});
});

describe("checking inputs", () => {
	it("passes what is right and names what is not, without its value", () => {
		expect(checkFields(scheduleArgsShape, base)).toEqual([]);
		const problems = checkFields(scheduleArgsShape, {
			...base,
			paused: "secret-value",
			scheduleNam: "x",
			pipelineName: undefined,
		});
		expect(problems.map(({ field }) => field)).toEqual(["pipelineName", "paused", "scheduleNam"]);
		expect(JSON.stringify(problems)).not.toContain("secret-value");
	});

	it("leaves values that are not known yet alone", () => {
		const unknown = Object.fromEntries(Object.keys(base).map((key) => [key, UNKNOWN]));
		expect(checkFields(scheduleArgsShape, unknown)).toEqual([]);
	});

	it("shows the cron field at fault and what was probably meant", () => {
		const [problem] = checkFields(scheduleArgsShape, { ...base, cronExpression: "0 0 3 * * *" });
		expect(problem?.reason).toMatch(
			/it has 6 fields.* Did you mean "0 3 \* \* \*"\? It would next run at \d{4}-.*, .*, /,
		);
	});
});

describe("ownership of remote objects", () => {
	it("counts only what the program declares, not what a refresh looks at", () => {
		const ownership = new Ownership();
		expect(ownership.isDeclared("t", "a")).toBe(false);
		ownership.declareName("t", "a");
		expect(ownership.isDeclared("t", "a")).toBe(true);
		expect(ownership.isDeclared("u", "a")).toBe(false);
	});

	it("ends with the replacement that will delete the object", () => {
		const ownership = new Ownership();
		ownership.claim("t", "1");
		expect(ownership.isOwned("t", "1")).toBe(true);
		ownership.release("t", "1");
		expect(ownership.isOwned("t", "1")).toBe(false);
		expect(ownership.isReleased("t", "1")).toBe(true);
	});
});

describe("the lock per name", () => {
	it("runs one at a time per key, in order, and goes on after a failure", async () => {
		const lock = new KeyedLock();
		const seen: string[] = [];
		const work = (name: string, fails = false) =>
			lock.run("key", async () => {
				seen.push(`${name} starts`);
				await sleep(5);
				seen.push(`${name} ends`);
				if (fails) throw new Error(name);
			});
		await Promise.allSettled([work("a"), work("b", true), work("c")]);
		expect(seen).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
	});

	it("does not hold up other keys", async () => {
		const lock = new KeyedLock();
		const slow = lock.run("a", () => sleep(1000, "slow"));
		expect(await lock.run("b", async () => "fast")).toBe("fast");
		expect(await Promise.race([slow, sleep(50, "still waiting")])).toBe("still waiting");
	});
});
