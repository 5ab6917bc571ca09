import { afterEach, describe, expect, it, vi } from "vitest";
import { drift } from "../../../src/commands/drift";
import { driftReportSchema } from "../../../src/commands/drift-report";
import type * as StackState from "../../../src/commands/stack-state";
import { type DriftTeam, driftTeam } from "../../helpers/drift-team";

const pulumi = vi.hoisted(() => ({ state: "", env: {} as NodeJS.ProcessEnv }));

vi.mock("../../../src/commands/pulumi-cli", async () => {
	const { readState } = await vi.importActual<typeof StackState>("../../../src/commands/stack-state");
	return { readStack: async () => ({ state: readState(pulumi.state), sources: { env: pulumi.env } }) };
});

afterEach(() => {
	vi.restoreAllMocks();
	process.exitCode = undefined;
});

/** The command as it runs in a project whose stack has this state. */
async function run(team: DriftTeam, entries: readonly object[], failOn = "changed,missing,twin") {
	Object.assign(pulumi, { state: team.stateText(...entries.map((each) => ({ ...each }))), env: team.env });
	const printed = { stdout: "", stderr: "" };
	for (const name of ["stdout", "stderr"] as const) {
		vi.spyOn(process[name], "write").mockImplementation((text) => {
			printed[name] += String(text);
			return true;
		});
	}
	await drift({ failOn, json: true });
	const code = process.exitCode;
	vi.restoreAllMocks();
	process.exitCode = undefined;
	return { code, stderr: printed.stderr, report: driftReportSchema.parse(JSON.parse(printed.stdout)) };
}

describe("the exit code", () => {
	it("is 1 if nothing drifted and something could not be checked, and the report is printed", async () => {
		const team = await driftTeam();
		const all = ["s1", "s2"].map((name) => team.managed(team.schedule(name)));
		team.server.faults.add({ kind: "status", endpoint: "listPipelines", status: 403 });
		const { code, stderr, report } = await run(team, all);
		expect([code, report.summary.failed]).toEqual([1, 3]);
		expect(stderr).toBe("3 could not be checked; the report says what and why.\n");
	});

	it("is 1 where the list leaves out something that exists: it may leave out duplicates, too", async () => {
		const team = await driftTeam();
		const all = ["s1", "s2"].map((name) => team.managed(team.schedule(name)));
		team.server.faults.add({ kind: "capped-list", endpoint: "listSchedules", limit: 1, which: "newest" });
		const { code, stderr, report } = await run(team, all);
		expect([code, report.summary.unlisted]).toEqual([1, 1]);
		expect(stderr).toBe("The team's list leaves out 1 existing object; it may leave out others, too.\n");
	});

	it.each([
		["changed", 2],
		["missing,duplicate", 0],
	])("of a schedule that the clocks moved, under --fail-on %s, is %i", async (failOn, expected) => {
		const team = await driftTeam();
		const utcCron = "0 3 * * *";
		// One of the two is right in winter, the other in summer: the service has the one that is wrong today.
		const offset = new Date().toLocaleString("en", { timeZone: "Europe/Berlin", timeZoneName: "longOffset" });
		const local = offset.includes("GMT+02:00") ? "0 4 * * *" : "0 5 * * *";
		const more = { cronExpression: local, timeZone: "Europe/Berlin", utcCron };
		const { code, report } = await run(team, [team.managed(team.schedule("berlin"), more)], failOn);
		expect(report.clockChanges).toEqual([expect.objectContaining({ name: "berlin", isPast: true })]);
		expect([code, report.summary.changed]).toEqual([expected, 0]);
	});

	it.each([
		["changed,missing,duplicate", 2],
		["changed,missing,twin", 2],
		["changed,missing,unmanaged", 2],
		["changed, missing", 0],
	])("of a duplicate under --fail-on %s is %i", async (failOn, expected) => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		expect((await run(team, [ours], failOn)).code).toBe(expected);
	});
});
