import { join } from "node:path";
import { expect, it } from "vitest";
import { askFacts } from "../../src/commands/forecast";
import { systemClock } from "../../src/server";
import { repository } from "../../tools/repository";
import { clientOfTest } from "../helpers/api-connect";
import { command, runCli, runCommands } from "../helpers/cli";
import { scheduleOf } from "../helpers/forecast-team";
import { testServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const server = async () => {
	const made = await testServer({ faults: true, clock: systemClock() });
	return {
		...made,
		place: { folder: repository, env: { ...process.env, ...made.environment } },
	};
};
const ours = `"${process.execPath}" "${command}"`;

it.each([
	["export", ["--out", "OUT"]],
	["forecast", ["--live"]],
])(
	"%s names the schedule that it had to leave out because it cannot be read",
	async (name, args) => {
		const { faults, environment, place } = await server();
		await clientOfTest(environment).schedules.create({
			schedule_name: "a second one",
			pipeline_name: "rusty-vise",
			cron_expression: "@daily",
		});
		faults.add({
			endpoint: "listSchedules",
			kind: "rewrite",
			set: { "0.id": "seven" },
		});
		const given = args.map((arg) =>
			arg === "OUT" ? join(testFolder("cli-reading-"), "team") : arg,
		);
		const { code, stderr } = await runCli(place, [name, ...given]);
		expect(code, stderr).toBe(0);
		expect(stderr).toMatch(
			/^warning: The response to listSchedules has an element that was left out because it cannot be read: /m,
		);
	},
);

it("a command does not fail if its reader closes the pipe, as head does", async () => {
	const { place } = await server();
	const { code, stderr } = await runCommands(
		`${ours} forecast --live | true`,
		place.folder,
		place.env,
	);
	expect([code, stderr]).toEqual([0, ""]);
});

it("a result that a full disk cuts off is a failure, told once", async () => {
	const { place } = await server();
	const { code, stderr } = await runCommands(
		`${ours} clusters --json > /dev/full`,
		place.folder,
		place.env,
	);
	expect([code, stderr]).toEqual([
		1,
		"error: The output could not be written (ENOSPC).\n",
	]);
});

it("a forecast of more runs than can be listed says how many there are, and prints none", async () => {
	const { environment, place } = await server();
	const { schedules } = clientOfTest(environment);
	for (const schedule_name of ["a", "b", "c", "d"])
		await schedules.create({
			schedule_name,
			pipeline_name: "rusty-vise",
			cron_expression: "* * * * *",
		});
	const { code, stdout, stderr } = await runCli(place, [
		"forecast",
		"--live",
		"--days",
		"366",
		"--json",
	]);
	expect([code, stdout]).toEqual([1, ""]);
	expect(stderr).toMatch(
		/^error: There are 2,1\d\d,\d\d\d runs in these 366 days, and at most 2,000,000 can be listed\./,
	);
});

it("a comparison names what could not be read, but not the pipelines without a finished run", async () => {
	const { faults, environment, teamName } = await server();
	faults.add({ endpoint: "listPipelines", kind: "status", status: 403 });
	const schedule = scheduleOf("nightly", { team: teamName });
	const facts = await askFacts(
		{ env: environment },
		[schedule],
		new AbortController().signal,
	);
	expect(facts.unread).toEqual([
		expect.stringMatching(
			/^The pipelines, and whether they are paused, could not be read: .*403/,
		),
	]);
	expect(facts.notes).toHaveLength(2);
});

it("a forecast does not ask the service for a team that is a secret", async () => {
	const { faults, environment } = await server();
	faults.add({ endpoint: "*", kind: "status", status: 500, times: 99 });
	const schedule = scheduleOf("nightly", { team: "(secret)" });
	const facts = await askFacts(
		{ env: environment },
		[schedule],
		new AbortController().signal,
	);
	expect(facts.unread).toEqual([
		"The team of 1 schedule is a secret, so its pipelines, jobs and clusters were not read.",
	]);
});
