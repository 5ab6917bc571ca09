import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createClient, resolveConnection } from "../../src/api";
import { askFacts } from "../../src/cli/forecast-read";
import { startServer } from "../../src/server";
import { tempFolder } from "../../tools/process/temp-folder";
import { scheduleOf } from "../helpers/forecast-team";
import { exitOf, spawnCli } from "../helpers/server-process";

async function server() {
	const started = await startServer({ faults: true });
	onTestFinished(() => started.close());
	return started;
}

it.each([
	["export", ["--out", "OUT"]],
	["forecast", ["--live"]],
])("%s names the schedule that it had to leave out because it cannot be read", async (command, args) => {
	const { faults, environment } = await server();
	const client = createClient(resolveConnection({ env: environment }));
	onTestFinished(() => client.close());
	await client.schedules.create({
		schedule_name: "a second one",
		pipeline_name: "rusty-vise",
		cron_expression: "@daily",
	});
	faults.add({ endpoint: "listSchedules", kind: "rewrite", set: { "0.id": "seven" } });
	const folder = tempFolder("cli-reading-");
	onTestFinished(() => folder.remove());
	const given = args.map((arg) => (arg === "OUT" ? join(folder.path, "team") : arg));
	const { child, stderr } = spawnCli([command, ...given], environment);
	expect(await exitOf(child), stderr()).toBe(0);
	expect(stderr()).toMatch(
		/^warning: The reply to listSchedules has an element that was left out because it cannot be read: /m,
	);
});

it("a comparison is told what could not be read, and not which pipelines never ran", async () => {
	const { faults, environment, teamName } = await server();
	faults.add({ endpoint: "listPipelines", kind: "status", status: 403 });
	const schedule = scheduleOf("nightly", { team: teamName });
	const facts = await askFacts({ env: environment }, [schedule], new AbortController().signal);
	expect(facts.unread).toEqual([
		expect.stringMatching(/^The pipelines, and whether they are paused, could not be read: .*403/),
	]);
	expect(facts.notes).toHaveLength(2);
});
