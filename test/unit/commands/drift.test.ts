import { afterEach, describe, expect, it, vi } from "vitest";
import { drift } from "../../../src/commands/drift";
import type { FaultRule } from "../../../src/server";
import { driftReportSchema } from "../../../src/team/drift-report";
import type * as StackState from "../../../src/team/stack-state";
import { type DriftTeam, driftTeam, stateText } from "../../helpers/drift-team";
import { printedBy } from "../../helpers/printed";

const pulumi = vi.hoisted(() => ({ state: "", env: {} as NodeJS.ProcessEnv }));

vi.mock("../../../src/commands/pulumi-cli", async () => {
	const { readState } = await vi.importActual<typeof StackState>(
		"../../../src/team/stack-state",
	);
	return {
		readStack: async () => ({
			state: readState(pulumi.state),
			sources: { env: pulumi.env },
		}),
	};
});

afterEach(() => {
	process.exitCode = undefined;
});

/** The command as it runs in a project whose stack has this state. */
async function run(
	team: DriftTeam,
	entries: readonly object[],
	failOn = "changed,missing,duplicate",
) {
	Object.assign(pulumi, { state: stateText(...entries), env: team.env });
	const { stdout, stderr } = await printedBy(() => drift({ failOn, json: true }));
	return {
		code: process.exitCode,
		stderr,
		report: driftReportSchema.parse(JSON.parse(stdout)),
	};
}

describe("the exit code", () => {
	it.each<[string, FaultRule, object, string]>([
		[
			"something could not be checked",
			{ kind: "status", endpoint: "listPipelines", status: 403 },
			{ failed: 3 },
			"3 could not be checked; the report says what and why.\n",
		],
		[
			"the list leaves out something that exists: it may leave out duplicates, too",
			{ kind: "capped-list", endpoint: "listSchedules", limit: 1, which: "newest" },
			{ unlisted: 1 },
			"The team's list does not contain 1 existing object; other objects may be missing too.\n",
		],
	])(
		"is 1 if nothing drifted and %s, and the report is printed",
		async (_, fault, counts, said) => {
			const team = await driftTeam();
			const all = ["s1", "s2"].map((name) => team.managed(team.schedule(name)));
			team.server.faults.add(fault);
			const { code, stderr, report } = await run(team, all);
			expect([code, stderr]).toEqual([1, said]);
			expect(report.summary).toMatchObject({ changed: 0, missing: 0, ...counts });
		},
	);

	it.each([
		["changed,missing,duplicate", 2],
		["changed, missing", 0],
	])("of a duplicate under --fail-on %s is %i", async (failOn, expected) => {
		const team = await driftTeam();
		const ours = team.managed(team.schedule("nightly"));
		team.schedule("nightly");
		expect((await run(team, [ours], failOn)).code).toBe(expected);
	});
});
