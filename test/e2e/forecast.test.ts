import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparisonSchema } from "../../src/commands/forecast-compare";
import { forecastReportSchema } from "../../src/commands/forecast-report";
import { runCli } from "../helpers/drift-cli";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const schedule = (name: string, args: object): Declared => ({
	kind: "PipelineSchedule",
	name,
	args: { scheduleName: name, pipelineName: "nightly-images", ...args },
});
const NIGHTLY = schedule("nightly", { cronExpression: "0 3 * * *", timeZone: "Asia/Tokyo" });
const SPREAD = schedule("spread", { cronExpression: "H 4 * * 1-5" });
const BERLIN = schedule("berlin", { cronExpression: "30 3 * * *", timeZone: "Europe/Berlin" });
const OTHER = schedule("quiet", { pipelineName: "quiet-harbor", cronExpression: "*/5 * * * *" });

describe("forecast, on a stack of the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment();
		test.declare(NIGHTLY, SPREAD, BERLIN, OTHER);
		await test.up();
	});
	afterAll(() => test?.dispose());

	const place = () => ({ folder: test.folder, env: test.stack.env });
	const forecast = async (...args: string[]) => {
		const result = await runCli(place(), ["forecast", "--stack", "dev", ...args]);
		if (result.code !== 0)
			throw new Error(`forecast failed (${result.code}):\n${result.stdout}\n${result.stderr}`);
		return result.stdout;
	};

	it("prints every run of the stack's schedules, as text, page, calendar and as JSON in its documented form", async () => {
		const text = await forecast("--days", "7", "--html", "forecast.html", "--ics", "runs.ics");
		expect(readFileSync(join(test.folder, "forecast.html"), "utf8")).toContain("Upcoming runs");
		expect(readFileSync(join(test.folder, "runs.ics"), "utf8")).toMatch(/^SUMMARY:nightly\r$/m);
		expect(text).toMatch(/^\d+ runs of 4 schedules of stack "dev"/);
		expect(text).toMatch(/Mon .*\nTue /);
		expect(text).toMatch(/Paused \(1\)[\s\S]*quiet/);
		const report = forecastReportSchema
			.strict()
			.parse(JSON.parse(await forecast("--json", "--from", "2027-03-22T00:00:00Z")));
		const nightly = report.schedules.find(({ name }) => name === "nightly");
		expect(nightly?.runs).toHaveLength(7);
		expect(nightly?.runs?.[0]).toBe("2027-03-22T18:00:00Z");
		expect(report.clockChanges).toEqual([
			expect.objectContaining({ name: "berlin", at: "2027-03-28T01:00:00Z", isPast: false }),
		]);
	});

	it("--compare says what a deployment would add, remove and move", async () => {
		const window = ["--compare", "--from", "2027-01-04T00:00:00Z"];
		test.declare(
			schedule("nightly", { cronExpression: "0 5 * * *", timeZone: "Asia/Tokyo" }),
			BERLIN,
			OTHER,
			schedule("fresh", { cronExpression: "15 12 * * *" }),
		);
		const json = await forecast(...window, "--json", "--html", "compare.html");
		const comparison = comparisonSchema.strict().parse(JSON.parse(json));
		expect(comparison.summary).toEqual({ added: 7, removed: 5, moved: 7, kept: 0 });
		expect(comparison.schedules.map(({ name, how }) => [name, how])).toEqual([
			["fresh", "added"],
			["nightly", "changed"],
			["spread", "removed"],
		]);
		expect(readFileSync(join(test.folder, "compare.html"), "utf8")).toContain(
			"7 runs moved, 7 added, 5 removed",
		);
	});
});
