import { describe, expect, it } from "vitest";
import { SCHEDULE_FIELDS } from "../../../src/provider/pipeline-schedule/fields";
import { SETTINGS_FIELDS } from "../../../src/provider/pipeline-settings/fields";
import { checkFields } from "../../../src/provider/shared/check-fields";
import { UNKNOWN } from "../../../src/provider/shared/unknown";

const base = { scheduleName: "a", pipelineName: "p", cronExpression: "0 3 * * *", teamName: "t" };

describe("checking inputs", () => {
	it("passes what is right and names what is not, without its value", () => {
		expect(checkFields(SCHEDULE_FIELDS, base)).toEqual([]);
		const problems = checkFields(SCHEDULE_FIELDS, {
			...base,
			paused: "secret-value",
			scheduleNam: "x",
			pipelineName: undefined,
		});
		expect(problems.map(({ field }) => field)).toEqual(["pipelineName", "paused", "scheduleNam"]);
		expect(problems.map(({ reason }) => reason)).toEqual([
			"pipelineName: is required.",
			"paused: must be true or false.",
			expect.stringMatching(
				/^scheduleNam: there is no such input\. The inputs are scheduleName, pipelineName, /,
			),
		]);
		expect(JSON.stringify(problems)).not.toContain("secret-value");
	});

	it("leaves values that are not known yet alone, also inside others", () => {
		const unknown = Object.fromEntries(Object.keys(base).map((key) => [key, UNKNOWN]));
		expect(checkFields(SCHEDULE_FIELDS, unknown)).toEqual([]);
		const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
		expect(
			checkFields(SETTINGS_FIELDS, { ...settings, environment: { A: UNKNOWN }, files: [UNKNOWN] }),
		).toEqual([]);
	});

	it("shows the cron field at fault and what was probably meant", () => {
		const [problem] = checkFields(SCHEDULE_FIELDS, { ...base, cronExpression: "0 0 3 * * *" });
		expect(problem?.reason).toMatch(
			/it has 6 fields.* Did you mean "0 3 \* \* \*"\? It would next run at \d{4}-.*, .*, /,
		);
	});

	it("names a variable that cannot be sent, and not its value", () => {
		const [problem, ...more] = checkFields(SETTINGS_FIELDS, {
			pipelineName: "p",
			teamName: "t",
			onDestroy: "keep",
			environment: { KEY: "one\u2028two", FINE: "x" },
		});
		expect(more).toEqual([]);
		expect(problem?.reason).toMatch(/^environment: the value of KEY has a line separator \(U\+2028\)/);
		expect(problem?.reason).not.toContain("two");
	});
});
