import { describe, expect, it } from "vitest";
import { settings } from "../helpers/provider-engine";
import { freshStack, ids, named, stack, theirs, there, world } from "../helpers/provider-scene";

const SECOND = 1_000;
const LAG = 15 * SECOND;
const nightly = (inputs: object = {}, more: object = {}) => [named("nightly", "nightly", inputs, more)];

freshStack();

describe("reads that lag behind writes", () => {
	it("do not make a replacement take the schedule that it just deleted", async () => {
		await stack.up(nightly());
		const before = stack.ids().nightly;
		world.server.clock.advance(60 * SECOND);
		world.fault({ kind: "stale-read", ms: LAG });
		const again = nightly({ adopt: true }, { replace: true, deleteBeforeReplace: true });
		expect((await stack.up(again, { adoptEqual: true })).failures).toEqual([]);
		expect(stack.ids().nightly).not.toBe(before);
		expect(ids()).toEqual([stack.ids().nightly]);
	});

	it("do not hide that a value was changed and changed back", async () => {
		await stack.up(nightly({ cronExpression: "0 1 * * *" }));
		world.server.clock.advance(60 * SECOND);
		world.fault({ kind: "stale-read", ms: LAG });
		const { id } = stack.entry("nightly");
		// The last deployment wrote 02:00; reads still show 01:00, which this one declares again.
		world.colleague.updateSchedule({ schedule_id: Number(id), cron_expression: "0 2 * * *" });
		const known = { cronExpression: "0 2 * * *" };
		stack.alter("nightly", known, known);
		expect((await stack.up(nightly({ cronExpression: "0 1 * * *" }))).failures).toEqual([]);
		expect(there()).toMatchObject([{ cronExpression: "0 1 * * *" }]);
	});

	it("do not show drift in a refresh right after an up, where only the lists lag", async () => {
		const program = (cronExpression: string, workers: number) => [
			...nightly({ cronExpression }),
			settings("p2", { pipelineName: "p2", workers }),
		];
		await stack.up(program("0 1 * * *", 2));
		world.server.clock.advance(60 * SECOND);
		world.fault({ kind: "stale-list", ms: LAG });
		await stack.up(program("0 2 * * *", 3));
		await stack.refresh();
		expect(stack.entry("nightly").inputs).toMatchObject({ cronExpression: "0 2 * * *" });
		expect(stack.entry("p2").inputs).toMatchObject({ workers: 3 });
		expect(stack.entry("nightly").outs.cronDescription).toBe("every day at 02:00 UTC");
		expect((await stack.up(program("0 2 * * *", 3))).steps).toEqual(["same nightly", "same p2"]);
	});
});

describe("replies that say something else than what is", () => {
	it("with another precision of the moment of creation name the same schedule", async () => {
		world.server.clock.advance(123);
		await stack.up(nightly());
		world.fault({ kind: "rewrite", endpoint: "listSchedules", fraction: { "*.created_at": 0 } });
		world.fault({ kind: "rewrite", endpoint: "getSchedule", fraction: { created_at: 3 } });
		expect((await stack.refresh()).steps).toEqual(["read nightly"]);
		expect((await stack.up(nightly({ cronExpression: "0 4 * * *" }))).failures).toEqual([]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(there()).toEqual([]);
	});

	it("contradict each other for longer than any wait: the create fails and says so", async () => {
		const { id } = theirs("nightly");
		world.fault({ kind: "stale-list", ms: 300 * SECOND });
		world.colleague.deleteSchedule(id);
		expect((await stack.up(nightly())).failures).toEqual([
			`nightly: Schedule ${id} of team "ml" is in the service's list, but the service answers 404 when it is asked for it. ` +
				"Nothing was changed. Run the command again in a minute; if that does not help, contact the operator of the service.",
		]);
		expect(world.writes()).toEqual([]);
	});
});
