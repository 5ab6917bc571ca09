import { describe, expect, it } from "vitest";
import type { Sample } from "../../../bench/speed/model";
import { summarize } from "../../../bench/speed/statistics";
import { targetsOf } from "../../../bench/speed/targets";
import { sample } from "./sample";

/** Title and verdict of each target that the samples can answer. */
const verdicts = (...samples: Partial<Sample>[]): Record<string, boolean> =>
	Object.fromEntries(targetsOf(summarize(samples.map(sample))).map(({ title, ok }) => [title, ok]));

describe("the targets of the speed bench", () => {
	it("are left out where the run does not cover them", () => {
		expect(verdicts({ n: 50 }, { n: 50, variant: "floor" })).toEqual({});
	});

	it.each(["up", "no-op", "update", "refresh", "destroy"] as const)(
		"%s of 1,000 may take 1.15 of the floor",
		(step) => {
			const at = (wallMs: number) =>
				Object.entries(verdicts({ step, wallMs }, { step, variant: "floor", wallMs: 1_000 })).find(
					([title]) => title.includes("native floor"),
				)?.[1];
			expect([at(1_150), at(1_151)]).toEqual([true, false]);
		},
	);

	it.each([
		["refresh", "refresh", 1_150],
		["destroy", "destroy", 1_150],
		["update", "update all", 1_100],
	] as const)(
		"%s of 10 is held against an idle dynamic provider, by the clock and in CPU",
		(step, name, most) => {
			const title = `${name} of 10: time of an idle dynamic provider`;
			const at = (wallMs: number, cpuMs: number | undefined) => {
				const idle = { n: 10, step, variant: "idle", wallMs: 1_000, cpuMs: 1_000 } as const;
				const found = verdicts({ n: 10, step, wallMs, cpuMs }, idle);
				return [found[title], found[`${title}, in CPU`]];
			};
			expect(at(most, most + 1)).toEqual([true, false]);
			expect(at(most + 1, most)).toEqual([false, true]);
			expect(at(most, undefined)).toEqual([true, undefined]);
		},
	);

	it("refresh may make three requests, in every repetition", () => {
		const title = "refresh of 1,000: requests";
		expect(verdicts({ step: "refresh", requests: 3 })[title]).toBe(true);
		expect(verdicts({ step: "refresh", requests: 3 }, { step: "refresh", requests: 4 })[title]).toBe(false);
	});

	it.each([
		["refresh", "refresh"],
		["preview-refresh", "preview --refresh"],
	] as const)("%s at 20 ms may be a tenth slower", (step, name) => {
		const at = (wallMs: number) =>
			verdicts({ step }, { step, delayMs: 20, wallMs })[`${name} of 1,000: 20 ms a request against 0 ms`];
		expect([at(1_100), at(1_101)]).toEqual([true, false]);
	});

	it("up without checkpoints is held against a no-op up without them", () => {
		const title = "up of 1,000 without checkpoints: time of a no-op up";
		const at = (wallMs: number) =>
			verdicts({ checkpoints: false, wallMs }, { step: "no-op", checkpoints: false })[title];
		expect([at(1_300), at(1_301)]).toEqual([true, false]);
		expect(verdicts({ wallMs: 9_000 }, { step: "no-op" })[title]).toBeUndefined();
	});

	it("the naive form must be six times slower at 300", () => {
		const at = (wallMs: number) =>
			verdicts({ n: 300 }, { n: 300, variant: "naive", wallMs })[
				"up of 300: times faster than the naive form"
			];
		expect([at(6_000), at(5_999)]).toEqual([true, false]);
	});

	it("growth is held against the floor's, from each size to the next", () => {
		const floor = [100, 1_000, 3_000].map((n) => ({ variant: "floor" as const, n, wallMs: n * 10 }));
		const own = [100, 1_000, 3_000].map((n) => ({ n, wallMs: n === 3_000 ? n * 20 : n * 11 }));
		expect(verdicts(...own, ...floor)).toMatchObject({
			"up from 100 to 1,000: growth": true,
			"up from 1,000 to 3,000: growth": false,
		});
	});

	it("memory at 3,000 stays under 250 MB in every step", () => {
		const at = (memoryBytes: number) =>
			verdicts({ n: 3_000, memoryBytes: 1 }, { n: 3_000, step: "refresh", requests: 2, memoryBytes })[
				"provider memory at 3,000"
			];
		expect([at(249e6), at(250e6)]).toEqual([true, false]);
	});

	it("state may be 200 bytes a resource beyond the floor's", () => {
		const at = (stateBytes: number) =>
			verdicts({ stateBytes }, { variant: "floor", stateBytes: 1_000 })[
				"state a resource beyond the native floor, at 1,000"
			];
		expect([at(1_200), at(1_201)]).toEqual([true, false]);
		const apart = "state a resource beyond the native floor, at 1,000, stack traces apart";
		expect(verdicts({ bareStateBytes: 500 }, { variant: "floor", bareStateBytes: 299 })[apart]).toBe(false);
	});

	it("a thousand lookups cost exactly one request", () => {
		const at = (requests: number) =>
			verdicts({ step: "lookups", requests })["1,000 calls of one lookup: requests"];
		expect([at(0), at(1), at(2)]).toEqual([false, true, false]);
	});
});
