import { describe, expect, it } from "vitest";
import { CallClock } from "../../../src/api/call-clock";
import { type Pass, WriteGate } from "../../../src/api/write-gate";

const clock = () => new CallClock(5_000, undefined);

async function fill(gate: WriteGate, count: number): Promise<Pass[]> {
	return Promise.all(Array.from({ length: count }, () => gate.enter(clock())));
}

describe("the write gate", () => {
	it("lets as many through as its bound, and the next when one leaves", async () => {
		const gate = new WriteGate(3);
		const [first] = await fill(gate, 3);
		let entered = false;
		const next = gate.enter(clock()).then(() => {
			entered = true;
		});
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(entered).toBe(false);
		first?.leave();
		await next;
		expect(entered).toBe(true);
	});

	it("never lets more through than its bound when several leave at once", async () => {
		const gate = new WriteGate(4);
		let inside = 0;
		let most = 0;
		await Promise.all(
			Array.from({ length: 200 }, async () => {
				const pass = await gate.enter(clock());
				inside += 1;
				most = Math.max(most, inside);
				await new Promise((resolve) => setImmediate(resolve));
				inside -= 1;
				pass.leave();
			}),
		);
		expect(most).toBe(4);
	});

	it("halves once for all refusals of one burst, and never below one", async () => {
		const gate = new WriteGate(16);
		for (const pass of await fill(gate, 16)) {
			pass.refused();
			pass.leave();
		}
		expect(gate.limit).toBe(8);
		for (let i = 0; i < 10; i++) {
			const pass = await gate.enter(clock());
			pass.refused();
			pass.leave();
		}
		expect(gate.limit).toBe(1);
	});

	it("opens again with successes, up to where it started", async () => {
		const gate = new WriteGate(4);
		const [refused] = await fill(gate, 1);
		refused?.refused();
		refused?.leave();
		expect(gate.limit).toBe(2);
		for (let i = 0; i < 20; i++) {
			const pass = await gate.enter(clock());
			pass.succeeded();
			pass.leave();
		}
		expect(gate.limit).toBe(4);
	});

	it("does not keep a call waiting beyond its deadline", async () => {
		const gate = new WriteGate(1);
		const [held] = await fill(gate, 1);
		const short = new CallClock(30, undefined);
		const late = await gate.enter(short);
		expect(short.stopped).toBe("deadline");
		late.leave();
		held?.leave();
		expect((await fill(gate, 1)).length).toBe(1);
	});
});
