import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import {
	freshStack,
	named,
	type schedule,
	stack,
	there,
	world,
} from "../helpers/provider-scene";

freshStack(() => world.server.clock.set(SUMMER));

const SUMMER = "2026-07-01T00:00:00Z";
const WINTER = "2026-11-01T00:00:00Z";
const nightly = (inputs: object = {}) =>
	named("nightly", "nightly", { timeZone: "Europe/Berlin", ...inputs });
const live = () => there().map(({ cronExpression }) => cronExpression);

async function deployed(program: ReturnType<typeof schedule>): Promise<void> {
	expect((await stack.up([program])).failures).toEqual([]);
	world.writes();
}

it("a schedule in a time zone is updated by the first deployment after the clocks changed, and the preview says so", async () => {
	await deployed(nightly());
	expect(stack.entry("nightly").outs.cronDescription).toBe(
		"every day at 03:00 Europe/Berlin",
	);
	world.server.clock.set(WINTER);
	await stack.refresh();
	// Nobody changed anything on the service, so that a refresh changes nothing; it is only out of date.
	expect(stack.entry("nightly").outs).toMatchObject({
		utcCron: "0 1 * * *",
		validUntil: "2026-10-25T01:00:00Z",
	});
	const preview = await stack.preview([nightly()]);
	expect(preview.steps).toEqual(["update nightly"]);
	expect(preview.notices.join()).toContain(
		'"0 3 * * *" in Europe/Berlin is "0 2 * * *" in UTC now, and the service has "0 1 * * *"',
	);
	expect((await stack.up([nightly()])).steps).toEqual(["update nightly"]);
	expect([live(), world.writes()]).toEqual([["0 2 * * *"], ["updateSchedule"]]);
	expect(stack.entry("nightly").outs.validUntil).toBe("2027-03-28T01:00:00Z");
	expect((await stack.up([nightly()])).steps).toEqual(["same nightly"]);
});

describe("what a check makes of an expression", () => {
	const WHO = { kind: "PipelineSchedule", name: "nightly" } as const;
	const check = async (inputs: object, olds: Props = {}, at = SUMMER) => {
		world.server.clock.set(at);
		const process = world.process({ preview: true });
		const provider = process.serve("PipelineSchedule");
		const news = {
			...nightly(inputs).args,
			__urn: `urn:pulumi:dev::shop::t::${WHO.name}`,
		};
		const { inputs: found, failures } = await provider.check(olds, news);
		return {
			found,
			reasons: failures.map(({ reason }) => reason),
			notices: process.notices,
		};
	};
	/** What a check in summer made of it. */
	const inSummer = async () => (await check({})).found;

	it.each([
		["a zone that is not known yet", { timeZone: UNKNOWN }, UNKNOWN],
		[
			"an expression that is not known yet, in a zone",
			{ cronExpression: UNKNOWN },
			UNKNOWN,
		],
		[
			"an expression that is not known yet, in UTC",
			{ cronExpression: UNKNOWN, timeZone: undefined },
			undefined,
		],
		[
			"H in a team that is not known yet",
			{ cronExpression: "H 3 * * *", teamName: UNKNOWN },
			UNKNOWN,
		],
		[
			"H with a name that is not known yet",
			{ cronExpression: "H 3 * * *", scheduleName: UNKNOWN },
			UNKNOWN,
		],
		["no H with a name that is not known yet", { scheduleName: UNKNOWN }, "0 1 * * *"],
		["an expression in UTC", { timeZone: undefined }, undefined],
		[
			"an expression that starts late",
			{ startAfter: "2031-01-01T00:00:00Z" },
			"0 1 * * *",
		],
	])("%s", async (_, inputs, utcCron) => {
		expect(await check(inputs)).toMatchObject({ reasons: [], notices: [] });
		expect((await check(inputs)).found.utcCron).toBe(utcCron);
	});

	it("the state's own value is compiled again where the program changes what it is made of", async () => {
		const olds = await inSummer();
		const { utcCron } = olds;
		const changed = async (inputs: object) =>
			(await check({ utcCron, ...inputs }, olds)).found.utcCron;
		expect(await changed({ cronExpression: "0 4 * * *" })).toBe("0 2 * * *");
		expect(await changed({ timeZone: "America/New_York" })).toBe("0 7 * * *");
	});

	it("what a colleague made of it stays where changes of it are ignored, also beside a change of our own", async () => {
		const ours = { timeZone: "Asia/Tokyo" };
		await stack.up([named("s", "n", ours)]);
		const schedule_id = Number(stack.ids().s);
		world.colleague.updateSchedule({ schedule_id, cron_expression: "9 9 * * *" });
		await stack.refresh();
		const { utcCron } = stack.entry("s").inputs;
		expect(utcCron).toBe("9 9 * * *");
		expect((await stack.up([named("s", "n", { ...ours, utcCron })])).steps).toEqual([
			"same s",
		]);
		await stack.up([named("s", "m", { ...ours, utcCron })]);
		expect(there()).toMatchObject([{ name: "m", cronExpression: "9 9 * * *" }]);
		await stack.up([named("s", "m", ours)]);
		expect(there()).toMatchObject([{ cronExpression: "0 18 * * *" }]);
	});

	it("a change of clocks has a notice, and nothing else has", async () => {
		const olds = await inSummer();
		expect((await check({}, olds, WINTER)).notices).toEqual([
			'"nightly": "0 3 * * *" in Europe/Berlin is "0 2 * * *" in UTC now, and the service has "0 1 * * *". Daylight saving has changed, or ' +
				"another user changed the schedule; it will be updated.",
		]);
		for (const inputs of [
			{ cronExpression: "0 4 * * *" },
			{ timeZone: "America/New_York" },
			{ scheduleName: "other" },
		]) {
			expect((await check(inputs, olds, WINTER)).notices).toEqual([]);
		}
		expect((await check({}, olds)).notices).toEqual([]);
		const { utcCron: _, ...plain } = olds;
		expect((await check({}, plain, WINTER)).notices).toEqual([]);
	});
});

it("a time zone that the program takes back is not told as a change of somebody else", async () => {
	await deployed(nightly());
	const { steps, failures, notices } = await stack.up([
		nightly({ timeZone: undefined }),
	]);
	expect([steps, failures, live()]).toEqual([["update nightly"], [], ["0 3 * * *"]]);
	expect(notices.join()).not.toContain("changed outside Pulumi");
});

it("a time zone that the service never showed and that is taken back is taken back there, too", async () => {
	const plain = nightly({ timeZone: undefined });
	await deployed(plain);
	world.server.clock.advance(600_000);
	world.fault({ kind: "stale-read", ms: 300_000 });
	expect((await stack.up([nightly()])).failures).toEqual([
		expect.stringContaining("returns other values"),
	]);
	expect(live()).toEqual(["0 1 * * *"]);
	// Reads still show the old value, which is the declared one.
	expect((await stack.up([plain])).failures).toEqual([]);
	expect(live()).toEqual(["0 3 * * *"]);
});

it("a changed expression and zone that a later read confirms are not sent again", async () => {
	await deployed(nightly({ timeZone: undefined }));
	world.server.clock.advance(600_000);
	const caughtUp = world.fault({ kind: "stale-read", ms: 300_000 });
	const changed = nightly({ cronExpression: "0 6 * * *" });
	expect((await stack.up([changed])).failures).toHaveLength(1);
	caughtUp();
	await stack.refresh();
	expect((await stack.up([changed])).steps).toEqual(["same nightly"]);
});

it("a schedule whose zone this machine does not know is still read, and described in UTC", async () => {
	await deployed(nightly());
	const zone = { timeZone: "Europe/Atlantis" };
	stack.alter("nightly", zone, zone);
	expect((await stack.refresh()).steps).toEqual(["read nightly"]);
	expect(stack.entry("nightly").outs).toMatchObject({
		...zone,
		utcCron: "0 1 * * *",
		cronDescription: "every day at 01:00 UTC",
	});
	expect(stack.entry("nightly").outs).not.toHaveProperty("validUntil");
});

const spread = (inputs: object = {}) =>
	nightly({ timeZone: undefined, cronExpression: "H H(0-5) * * *", ...inputs });

it("a schedule with H gets its value from team and name, keeps it, and shows it as an output", async () => {
	await deployed(spread());
	const [cron] = live();
	expect(cron).toBe("32 0 * * *");
	expect(stack.entry("nightly").outs).toMatchObject({
		utcCron: cron,
		cronExpression: "H H(0-5) * * *",
	});
	expect(stack.entry("nightly").outs).not.toHaveProperty("validUntil");
	await stack.refresh();
	expect((await stack.up([spread()])).steps).toEqual(["same nightly"]);
	expect(world.writes()).toEqual([]);
});

it("a schedule with H that another user changed is updated, with a notice that names no time zone", async () => {
	await deployed(spread());
	const schedule_id = Number(stack.ids().nightly);
	world.colleague.updateSchedule({ schedule_id, cron_expression: "9 9 * * *" });
	await stack.refresh();
	const { steps, notices } = await stack.up([spread()]);
	expect([steps, live()]).toEqual([["update nightly"], ["32 0 * * *"]]);
	expect(notices).toEqual([
		'"nightly": the service has "9 9 * * *", because another user changed the schedule; it will be updated.',
	]);
});
