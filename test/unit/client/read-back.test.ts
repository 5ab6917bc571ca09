import { describe, expect, it } from "vitest";
import {
	pollAfterWrite,
	READ_BACK_DELAYS,
	ReadBackLags,
} from "../../../src/client/read-back";

/** Writes one after another to a service that shows each after so long; tells when each was looked at. */
function writing(random = () => 0) {
	let now = 0;
	const lags = new ReadBackLags(random);
	const time = {
		now: () => now,
		sleep: async (millis: number) => {
			now += millis;
		},
	};
	return async (lagMillis: number, kind = "PipelineSchedule") => {
		const start = now;
		const looks: number[] = [];
		const look = async () => {
			looks.push(Math.round(now - start));
			return now - start >= lagMillis;
		};
		await pollAfterWrite(
			{ time, readBackDelays: READ_BACK_DELAYS, lags },
			kind,
			look,
			(found) => found,
		);
		return looks;
	};
}

describe("the looks after a write", () => {
	it("come at once where the service shows a write at once", async () => {
		const write = writing();
		expect([await write(0), await write(0)]).toEqual([[0], [0]]);
	});

	it("start when the last write of the kind was seen, and need two requests instead of seven", async () => {
		const write = writing();
		expect(await write(2_000)).toEqual([0, 100, 350, 850, 1_850, 3_350]);
		let looks = 0;
		for (let count = 0; count < 50; count += 1) looks += (await write(2_000)).length;
		expect(looks / 50).toBeLessThan(2.5);
		expect(await write(0, "JobFile")).toEqual([0]);
	});

	it("come soon again when the service has recovered", async () => {
		const write = writing();
		await write(2_000);
		for (let count = 0; count < 40; count += 1) await write(0);
		expect(await write(0)).toEqual([0]);
	});

	it("are spread, and end after as long as without a lag", async () => {
		const write = writing(() => 0.5);
		const total = READ_BACK_DELAYS.reduce((sum, delay) => sum + delay, 0);
		expect((await write(2_000))[1]).toBe(105);
		expect((await write(1e9)).at(-1)).toBe(total);
		await write(15_000);
		expect((await write(1e9)).at(-1)).toBe(total);
	});
});
