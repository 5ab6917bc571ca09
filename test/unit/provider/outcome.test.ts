import { describe, expect, it } from "vitest";
import { missingIsUndefined } from "../../../src/operations/pipelines";
import type { Call } from "../../../src/provider/run/context";
import {
	isYoung,
	pollIfRecent,
	refuseOtherService,
} from "../../../src/provider/run/outcome";

const MINUTE = 60_000;

describe("an object that is younger than a minute", () => {
	const call = (more: Partial<Call> = {}) =>
		({
			time: { now: () => 10 * MINUTE },
			serviceNow: () => 70 * MINUTE,
			...more,
		}) as Call;
	const createdAt = (millis: number) => ({ createdAt: new Date(millis).toISOString() });

	it("is one by our own clock, if the state knows when it was created by it", () => {
		const young = [9 * MINUTE, 9 * MINUTE + 1, 11 * MINUTE - 1, 11 * MINUTE].map(
			(madeAt) => isYoung(call({ madeAt }), {}),
		);
		expect(young).toEqual([false, true, true, false]);
		// The service's clock, which is an hour ahead, does not matter then.
		expect(isYoung(call({ madeAt: 10 * MINUTE }), createdAt(0))).toBe(true);
	});

	it("is one by the service's clock otherwise", () => {
		const young = [69 * MINUTE, 69 * MINUTE + 1, 71 * MINUTE - 1, 71 * MINUTE].map(
			(at) => isYoung(call(), createdAt(at)),
		);
		expect(young).toEqual([false, true, true, false]);
	});

	it("is none if nothing says when it was created", () => {
		expect(
			[{}, { createdAt: null }, { createdAt: "soon" }].map((known) =>
				isYoung(call(), known),
			),
		).toEqual([false, false, false]);
	});

	it("is looked for with patience, and an older one once", async () => {
		const looksFor = async (madeAt: number) => {
			let looks = 0;
			const look = async () => (++looks < 3 ? undefined : "it");
			const time = { now: () => 10 * MINUTE, sleep: async () => {} };
			const found = await pollIfRecent(
				call({ madeAt, time, readBackDelays: [1, 1, 1] }),
				{},
				look,
			);
			return [found, looks];
		};
		expect(await looksFor(10 * MINUTE)).toEqual(["it", 3]);
		expect(await looksFor(0)).toEqual([undefined, 1]);
	});
});

describe("an object that was not found", () => {
	const call = { serviceUrl: "https://two.example.com" } as Call;
	const check = (known: object) => () =>
		refuseOtherService(call, { ...known }, "Schedule 7 was not found");

	it("is not gone if the state was deployed to another service", () => {
		expect(check({ serviceUrl: "https://one.example.com" })).toThrow(
			"Schedule 7 was not found, but it was deployed to https://one.example.com and the connection now points to " +
				"https://two.example.com. Set DATACHAIN_STUDIO_URL (or datachain:baseUrl) to the service it was deployed to. Nothing was changed.",
		);
	});

	it("is gone on the same service, or if the state does not name one", () => {
		for (const known of [{ serviceUrl: "https://two.example.com" }, {}])
			expect(check(known)).not.toThrow();
	});

	it("is told apart from one that could not be asked for", () => {
		const error = new Error("no");
		expect(() => missingIsUndefined(error)).toThrow(error);
	});
});
