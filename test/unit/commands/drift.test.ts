import { afterEach, describe, expect, it, vi } from "vitest";
import { drift } from "../../../src/commands/drift";
import { driftReportSchema } from "../../../src/commands/drift-report";
import type * as StackState from "../../../src/commands/stack-state";
import { type DriftTeam, driftTeam, stateText } from "../../helpers/drift-team";

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
	Object.assign(pulumi, { state: stateText(...entries), env: team.env });
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
		["changed,missing,twin", 2],
		["changed, missing", 0],
	])("of a duplicate under --fail-on %s is %i", async (failOn, expected) => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		expect((await run(team, [ours], failOn)).code).toBe(expected);
	});
});
