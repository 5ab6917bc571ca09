import { expect, it } from "vitest";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { type FaultRule, systemClock } from "../../src/server";
import { repository } from "../../tools/repository";
import { runCli } from "../helpers/cli";
import { startCli } from "../helpers/cli-process";
import { eventually, testServer } from "../helpers/server-harness";
import { PAUSED } from "../helpers/verify-run";

const [SCHEDULE, RENAMED] = [
	"pulumi-datachain-verify-#",
	"pulumi-datachain-verify-#-renamed",
];
const VARIABLE = "PULUMI_DATACHAIN_VERIFY_#";

/** The writes of a run in their order, and what is left if the process is killed while one is under way. */
const STEPS: readonly (readonly [step: string, left: readonly string[]])[] = [
	["createSchedule 1", [SCHEDULE]],
	["createSchedule 2", [SCHEDULE, SCHEDULE]],
	["deleteSchedule of the second", [SCHEDULE]],
	["updateSchedule 1", [RENAMED]],
	["updateSchedule 2", [RENAMED]],
	["deleteSchedule of the first", []],
	["deleteSchedule again", []],
	["updateSettings that adds", [VARIABLE]],
	["updateSettings that removes", []],
	["uploadFile", []],
];
/** Before them the command asks to delete a schedule that nobody has. */
const FIRST = 1;

type Rule = { kind: "delay" | "slow-body"; ms: number };
/** The response comes late: before the service has worked on the request, or after. */
const BEFORE: Rule = { kind: "delay", ms: 1_500 };
const AFTER: Rule = { kind: "slow-body", ms: 150 };

/** For that step's request alone. */
function during(rule: Rule, step: number): FaultRule {
	const endpointOf = ([name]: (typeof STEPS)[number]) => name.split(" ")[0];
	const endpoint = endpointOf(STEPS[step] ?? ["", []]) as EndpointName;
	const before = STEPS.slice(0, step).filter(
		(each) => endpointOf(each) === endpoint,
	).length;
	return {
		...rule,
		endpoint,
		times: 1,
		skip: endpoint === "deleteSchedule" ? before + FIRST : before,
	};
}

const OWN = /pulumi-datachain-verify-/i;

async function team() {
	const server = await testServer({ faults: true, clock: systemClock() });
	const colleague = server.team(server.teamName);
	colleague.createSchedule({
		schedule_name: "theirs",
		pipeline_name: PAUSED,
		cron_expression: "@daily",
	});
	colleague.setVariable(PAUSED, "THEIRS", " kept ");
	const others = {
		schedules: colleague.schedules(),
		jobs: colleague.jobs().map(({ id }) => id),
	};
	const place = { folder: repository, env: { ...process.env, ...server.environment } };
	/** What is there of runs of the command. */
	const own = () =>
		[
			...colleague.schedules().map(({ name }) => name),
			...colleague
				.pipelines()
				.flatMap(({ settings }) => Object.keys(settings.environment)),
		].filter((name) => OWN.test(name) || name.startsWith("PULUMI_DATACHAIN_VERIFY_"));
	const checkOthers = () => {
		expect(colleague.schedules().filter(({ name }) => !OWN.test(name))).toEqual(
			others.schedules,
		);
		expect(colleague.jobs().map(({ id }) => id)).toEqual(others.jobs);
		const pipeline = colleague.pipelines().find(({ name }) => name === PAUSED);
		expect([pipeline?.paused, pipeline?.settings.environment.THEIRS]).toEqual([
			true,
			" kept ",
		]);
	};
	return { server, place, own, checkOthers };
}

/** Starts a run, and ends it with a signal while that step is under way. */
async function ended(
	{ server }: Awaited<ReturnType<typeof team>>,
	rule: FaultRule,
	step: number,
	by: NodeJS.Signals,
) {
	server.faults.add(rule);
	const running = startCli(
		["verify", "--no-description", "--pipeline", PAUSED, "--yes"],
		server.environment,
	);
	const writes = () =>
		server.requests.entries.filter(({ method }) => method === "POST").length;
	await eventually(() => writes() === FIRST + step + 1 || undefined, 60_000);
	// Long enough for the work of a request that is answered slowly.
	await new Promise((resolve) => setTimeout(resolve, 100));
	process.kill(running.pid ?? 0, by);
	const result = await running.finished;
	// A request that was under way is worked on, whether anybody waits or not.
	await eventually(() => server.requests.inFlight === 0 || undefined, 20_000);
	server.faults.clear();
	return result;
}

const steps = STEPS.map(([name, left], step) => ({ name, left, step }));

it.each(steps)(
	"a SIGKILL during $name: the next run names what is left, and removes it with consent",
	async (each) => {
		const all = await team();
		await ended(all, during(BEFORE, each.step), each.step, "SIGKILL");
		all.checkOthers();
		const left = all.own();
		expect(left.map((name) => name.replace(/[0-9a-f]{12}/i, "#"))).toEqual(each.left);
		const next = await runCli(all.place, ["verify", "--no-description"]);
		expect(next.code, next.stderr).toBe(0);
		for (const name of left) expect(next.stderr).toContain(name);
		expect(/An earlier run.*\n.*--remove-leftovers/s.test(next.stderr)).toBe(
			left.length > 0,
		);
		const asked = await runCli(all.place, ["verify", "--remove-leftovers"]);
		expect([asked.code, all.own()]).toEqual([left.length > 0 ? 1 : 0, left]);
		const removed = await runCli(all.place, ["verify", "--remove-leftovers", "--yes"]);
		expect([removed.code, all.own()], removed.stderr).toEqual([0, []]);
		all.checkOthers();
	},
);

/** A refusal is never slow, so the run would go on. */
const slow = steps.filter(({ name }) => name !== "deleteSchedule again");

it.each([
	...steps.map((each) => ({ ...each, when: "before", rule: BEFORE })),
	...slow.map((each) => ({ ...each, when: "after", rule: AFTER })),
])(
	"a SIGTERM during $name, $when the work, leaves nothing but the file",
	async ({ step, rule }) => {
		const all = await team();
		const { code, stderr } = await ended(all, during(rule, step), step, "SIGTERM");
		expect(stderr).toMatch(/Interrupted\. Removing what was made/);
		// After the last write there is nothing to interrupt.
		expect(code).toBe(step === STEPS.length - 1 ? 0 : 1);
		expect(all.own()).toEqual([]);
		all.checkOthers();
	},
);
