import { describe, expect, it } from "vitest";
import type { Resource } from "../../bench/faults/rows/model/stack";
import type { FaultRule } from "../../src/server";
import { KINDS_UNDER_TEST } from "../helpers/provider-kinds";
import { freshStack, stack, world } from "../helpers/provider-scene";
import { skipLongWaits } from "../helpers/virtual-time";

freshStack(() => {
	skipLongWaits();
});

describe.each(Object.values(KINDS_UNDER_TEST))("$kind under a rate limit that says when", (kind) => {
	const { endpoint } = kind.create;
	const program: Resource[] = [{ kind: kind.kind, name: "it", args: kind.inputs }];
	const refused = (fault: Partial<Extract<FaultRule, { kind: "status" }>>) =>
		world.fault({ kind: "status", status: 429, endpoint, ...fault });

	/** The deployment succeeds, there is one object, and the state has it. */
	const expectOne = async (): Promise<void> => {
		const { failures, notices } = await stack.up(program);
		expect(failures).toEqual([]);
		expect(notices).toContainEqual(
			expect.stringMatching(/^The service limits the rate of requests \(HTTP 429\)/),
		);
		const ids = kind.seen?.(world).map(({ id }) => id);
		if (ids !== undefined) expect(ids).toEqual([stack.entry("it").id]);
		expect((await stack.up(program)).steps).toEqual(["same it"]);
	};

	it("is deployed once it is let through, also after longer than an operation may take", async () => {
		refused({ retryAfter: 25, times: 4 });
		const from = performance.now();
		await expectOne();
		expect(performance.now() - from).toBeGreaterThan(100_000);
		expect(world.writes().filter((write) => write === endpoint)).toHaveLength(5);
	});

	it("and refuses what was done all the same is deployed once", async () => {
		refused({ retryAfter: 5, times: 1, afterWork: true });
		await expectOne();
	});
});
