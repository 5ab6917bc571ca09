import { describe, expect, it } from "vitest";
import { SCHEDULE_FIELDS } from "../../../src/provider/pipeline-schedule/fields";
import { SETTINGS_FIELDS } from "../../../src/provider/pipeline-settings/fields";
import { checkFields } from "../../../src/provider/shared/check-fields";
import { UNKNOWN } from "../../../src/provider/shared/unknown";

const base = { scheduleName: "a", pipelineName: "p", cronExpression: "0 3 * * *", teamName: "t" };

describe("checking inputs", () => {
	it("passes what is right and names what is not, without its value", () => {
		expect(checkFields(SCHEDULE_FIELDS, {}, base)).toEqual([]);
		const problems = checkFields(
			SCHEDULE_FIELDS,
			{},
			{
				...base,
				paused: "secret-value",
				scheduleNam: "x",
				pipelineName: undefined,
			},
		);
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
		expect(checkFields(SCHEDULE_FIELDS, {}, unknown)).toEqual([]);
		const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
		expect(
			checkFields(SETTINGS_FIELDS, {}, { ...settings, environment: { A: UNKNOWN }, files: [UNKNOWN] }),
		).toEqual([]);
	});

	it("shows the cron field at fault and what was probably meant", () => {
		const [problem] = checkFields(SCHEDULE_FIELDS, {}, { ...base, cronExpression: "0 0 3 * * *" });
		expect(problem?.reason).toMatch(
			/it has 6 fields.* Did you mean "0 3 \* \* \*"\? It would next run at \d{4}-.*, .*, /,
		);
	});

	it.each([
		[
			"workers",
			"4",
			'workers: must be a whole number, such as 4; a text such as "4" becomes one with Number(…).',
		],
		["priority", 1.5, /^priority: must be a whole number, such as 4/],
		["pythonVersion", 3.1, 'pythonVersion: must be a text such as "3.12"; as a number 3.10 would be 3.1.'],
		[
			"environment",
			{ EPOCHS: 3 },
			"environment.EPOCHS: must be a text; other values become one with String(…).",
		],
		[
			"environment",
			{ PEM: "a\nb" },
			/^environment: the value of PEM has a line break .* as base64 for instance, or upload it as a JobFile\.$/,
		],
		["repository", "https://a\nb", "repository: must be one line, without control characters."],
		[
			"requirements",
			"./requirements.txt",
			/^requirements: is a path, .* Use readFileSync\("requirements\.txt", "utf8"\)\.$/,
		],
		["files", ["./prepare.py"], /^files\.0: is a path, not a file id\. Upload it first: /],
		["files", "7", "files: must be a list of files."],
		["teamName", 7, "teamName: must be a text."],
	])("refuses %s: %j with the fix", (field, value, says) => {
		const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
		const reasons = checkFields(SETTINGS_FIELDS, {}, { ...settings, [field]: value }).map(
			({ reason }) => reason,
		);
		expect(reasons).toEqual([typeof says === "string" ? says : expect.stringMatching(says)]);
	});

	it("takes null for a value that is not given", () => {
		expect(checkFields(SCHEDULE_FIELDS, {}, { ...base, paused: null, startAfter: null })).toEqual([]);
		expect(checkFields(SCHEDULE_FIELDS, {}, { ...base, teamName: null }).map(({ field }) => field)).toEqual([
			"teamName",
		]);
	});

	it("names what is wrong beside a value that is not known yet, with the path to it", () => {
		const settings = { pipelineName: "p", teamName: "t", onDestroy: "keep" };
		const problems = checkFields(
			SETTINGS_FIELDS,
			{},
			{
				...settings,
				environment: { A: UNKNOWN, B: 7 },
				files: [UNKNOWN, ""],
				requirements: [[UNKNOWN]],
			},
		);
		expect(problems.map(({ reason }) => reason)).toEqual([
			"environment.B: must be a text; other values become one with String(…).",
			"files.1: must be file ids, as JobFile gives them.",
		]);
	});

	it("names the inputs that there are where one is none of them", () => {
		const [problem] = checkFields(
			SETTINGS_FIELDS,
			{},
			{
				pipelineName: "p",
				teamName: "t",
				onDestroy: "keep",
				worker: 1,
			},
		);
		expect(problem).toEqual({
			field: "worker",
			reason:
				"worker: there is no such input. The inputs are pipelineName, pythonVersion, requirements, repository, workers, priority, " +
				"environment, storage, files, credentialsNames, paused, teamName, adopt, onDestroy.",
		});
	});

	it("refuses a Date with the fix", () => {
		// The SDK sends a Date as an object without properties.
		expect(checkFields(SCHEDULE_FIELDS, {}, { ...base, startAfter: {} })[0]?.reason).toMatch(
			/a Date gives it with toISOString\(\)\.$/,
		);
	});

	it("names a variable that cannot be sent, and not its value", () => {
		const [problem, ...more] = checkFields(
			SETTINGS_FIELDS,
			{},
			{
				pipelineName: "p",
				teamName: "t",
				onDestroy: "keep",
				environment: { KEY: "one\u2028two", FINE: "x" },
			},
		);
		expect(more).toEqual([]);
		expect(problem?.reason).toMatch(/^environment: the value of KEY has a line separator \(U\+2028\)/);
		expect(problem?.reason).not.toContain("two");
	});
});
