import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/server";
import { CTRL_C, hasPseudoTerminal, onTerminal } from "../helpers/pseudo-terminal";
import { eventually, testServer } from "../helpers/server-harness";
import { NAMES, PAUSED } from "../helpers/verify-run";

/** A run with the checks that write, at its question. */
async function asked(args: readonly string[] = ["--pipeline", PAUSED]) {
	const server = await testServer({ faults: true, clock: systemClock() });
	const colleague = server.team(server.teamName);
	colleague.createSchedule({
		schedule_name: NAMES.schedule,
		pipeline_name: PAUSED,
		cron_expression: "@daily",
	});
	const schedules = colleague.schedules();
	const terminal = onTerminal(
		["verify", "--no-description", ...args],
		server.environment,
	);
	await eventually(
		() => terminal.screen().includes("Continue? [y/N] ") || undefined,
		60_000,
	);
	/** Writes that were carried out. */
	const writes = () =>
		server.requests.entries.filter(
			({ method, status }) => method === "POST" && status < 400,
		);
	expect(writes()).toEqual([]);
	return { server, terminal, writes, schedules, now: () => colleague.schedules() };
}

describe.skipIf(!hasPseudoTerminal)("the question on a terminal", () => {
	it("says before what will be written, and y writes", async () => {
		const { terminal, writes, schedules, now } = await asked();
		const [before = ""] = terminal.screen().split("Continue?");
		expect(before).toMatch(/They create two schedules [\s\S]*They add the variable /);
		terminal.press("y\r");
		expect(await terminal.finished, terminal.screen()).toBe(0);
		expect(terminal.screen()).toContain(
			"Everything that was made is removed, except for the file.\n",
		);
		expect(writes().length).toBeGreaterThan(5);
		expect(now()).toEqual(schedules);
	});

	it.each([
		["n", "n\r"],
		["Enter alone", "\r"],
		["another word", "yesterday\r"],
		["Ctrl-C", CTRL_C],
		["Ctrl-D", "\u0004"],
	])("%s writes nothing, and one line says so", async (_what, keys) => {
		const { terminal, writes } = await asked();
		terminal.press(keys);
		expect(await terminal.finished, terminal.screen()).toBe(1);
		const [, after = ""] = terminal.screen().split("Continue? [y/N] ").slice(-2);
		expect(after).toMatch(/error: Nothing was written\.\n$/);
		expect(after.match(/\n/g)?.length).toBeLessThanOrEqual(2);
		expect(writes()).toEqual([]);
	});

	it("Ctrl-C after the consent removes what was made", async () => {
		const { server, terminal, schedules, now } = await asked();
		server.faults.add({
			kind: "delay",
			endpoint: "updateSchedule",
			ms: 8_000,
			times: 1,
		});
		terminal.press("yes\r");
		await eventually(
			() => server.requests.count({ endpoint: "updateSchedule" }) > 0 || undefined,
			60_000,
		);
		terminal.press(CTRL_C);
		expect(await terminal.finished, terminal.screen()).toBe(1);
		expect(terminal.screen()).toContain("Interrupted. Removing what was made…");
		expect(now()).toEqual(schedules);
	});

	it.each([
		["n", "n\r", 1],
		["y", "y\r", 0],
	])("of --remove-leftovers: %s decides", async (_what, keys, code) => {
		const { terminal, schedules, now } = await asked(["--remove-leftovers"]);
		terminal.press(keys);
		expect(await terminal.finished, terminal.screen()).toBe(code);
		expect(now()).toHaveLength(schedules.length - (code === 0 ? 1 : 0));
	});
});
