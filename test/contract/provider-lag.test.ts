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

	it("do not turn a failed reply into a second schedule", async () => {
		world.fault({ kind: "stale-list", ms: LAG });
		world.fault({ kind: "status", status: 500, afterWork: true, endpoint: "createSchedule", times: 1 });
		const { failures } = await stack.up(nightly());
		expect(failures).toEqual([]);
		expect(ids()).toEqual([stack.ids().nightly]);
		expect(world.writes()).toEqual(["createSchedule"]);
	});

	it("end in a clear message and one request where the lag is longer than any wait", async () => {
		world.fault({ kind: "stale-list", ms: 300 * SECOND });
		world.fault({ kind: "status", status: 500, afterWork: true, endpoint: "createSchedule", times: 1 });
		const { failures } = await stack.up(nightly());
		expect(failures).toEqual([
			expect.stringMatching(
				/^nightly: Could not tell whether schedule "nightly" was created in team "ml": .*500, the service failed.* it was not sent again, .*DATACHAIN_ADOPT_EQUAL=true to adopt it\.$/,
			),
		]);
		expect(world.writes()).toEqual(["createSchedule"]);
		world.server.clock.advance(300 * SECOND);
		expect((await stack.up(nightly())).failures).toEqual([expect.stringContaining("already exists")]);
		expect((await stack.up(nightly(), { adoptEqual: true })).failures).toEqual([]);
		expect(there()).toHaveLength(1);
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

it("a write is remembered also if a read after it misses the schedule", async () => {
	const at = (hour: number) => nightly({ cronExpression: `0 ${hour} * * *` });
	await stack.up(at(1));
	const caughtUp = world.fault({ kind: "status", status: 404, endpoint: "getSchedule", message: "none" });
	expect((await stack.up(at(2))).failures).toEqual([
		expect.stringContaining('"nightly" (id 1) is no longer in team'),
	]);
	caughtUp();
	expect((await stack.up(at(1))).failures).toEqual([]);
	expect(there()).toMatchObject([{ cronExpression: "0 1 * * *" }]);
});

it("a write whose response was lost is remembered until a read has confirmed it", async () => {
	const MINUTES = 5 * 60 * SECOND;
	const at = (hour: number) => nightly({ cronExpression: `0 ${hour} * * *` });
	const crons = () => there().map(({ cronExpression }) => cronExpression);
	await stack.up(at(1));
	world.server.clock.advance(2 * MINUTES);
	world.fault({ kind: "stale-read", ms: MINUTES });
	const broken = world.fault({ kind: "reset-after", endpoint: "updateSchedule" });
	expect((await stack.up(at(2))).failures).toHaveLength(1);
	expect(crons()).toEqual(["0 2 * * *"]);
	broken();
	expect((await stack.up(at(1))).failures).toEqual([]);
	expect(crons()).toEqual(["0 1 * * *"]);
});
