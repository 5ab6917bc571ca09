import { join } from "node:path";
import { expect, it } from "vitest";
import { clientOfTest } from "../helpers/api-connect";
import { describeInBrowser, goTo } from "../helpers/board-page";
import { largeBoardTeam, writeTeam } from "../helpers/board-team";
import { startCli, startServe } from "../helpers/cli-process";
import { eventually } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

/** The board judges by the clock of its machine, so that the team's runs are of the last two days. */
const NOW = Math.floor(Date.now() / 60_000) * 60_000;

describeInBrowser("the board of a large team", (open) => {
	it("shows 5,000 schedules and 20,000 jobs in at most twice the time of the plain lists, and draws little of them", async () => {
		const data = join(testFolder("board-scale-"), "team.json");
		writeTeam(data, largeBoardTeam(NOW));
		const { environment } = await startServe("--data", data);
		const client = clientOfTest(environment);
		const plainLists = async () => {
			const began = performance.now();
			const { schedules, jobs, pipelines } = client;
			await Promise.all([
				schedules.list(),
				jobs.list({ limit: 20_000 }),
				pipelines.list({ limit: 20_000 }),
			]);
			return performance.now() - began;
		};
		// The first reading warms up the service, for both alike.
		await plainLists();
		const plain = await plainLists();
		const { printed: said } = startCli(["board", "--no-open"], environment);
		const address = await eventually(() => /^http.*$/m.exec(said.stdout)?.[0], 60_000);
		const printed = performance.now();
		const { page } = await open(address);
		await page
			.getByRole("table", { name: "What needs attention" })
			.waitFor({ timeout: 120_000 });
		const first = performance.now() - printed;
		await page.evaluate("location.hash = '#/jobs'");
		await page.getByText("20,000 jobs").waitFor({ timeout: 120_000 });
		const whole = performance.now() - printed;
		for (const [view, text] of [
			["attention", "failed"],
			["schedules", "schedule-0"],
			["timeline", "schedule-0"],
			["timeline?range=week", "schedule-0"],
			["pipelines", "pipeline-"],
			["jobs", "load"],
		] as const) {
			await goTo(page, view, text);
			expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(
				5_000,
			);
		}
		console.info({ plain, first, whole });
		expect(first).toBeLessThan(2 * plain);
	});
});
