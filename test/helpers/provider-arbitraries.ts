import fc from "fast-check";
import type { Props } from "../../src/provider/handler";
import type { Kind } from "../../src/schemas/kinds";
import { objectName } from "../../src/schemas/primitives";
import { cronProblem } from "../../src/schemas/schedule-args";
import { STORAGE_KINDS, storageVariable } from "../../src/schemas/storage";
import { anyCron } from "./cron-expressions";
import { HOSTILE } from "./export-hostile";
import { validConfigs } from "./storage-arbitraries";

const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 30 }), fc.string({ unit: "grapheme" }));
const name = fc
	.oneof(anyText, fc.constantFrom(...HOSTILE, "%2e%2e/..;?#&=+", " edges "))
	.filter((text) => objectName.safeParse(text).success && text.trim() !== "" && !/\p{Cs}/u.test(text));

/** Spellings of a moment to come: with and without seconds, fractions and offset. The local server keeps milliseconds. */
const startAfter = fc
	.record({
		millis: fc.integer({ min: Date.UTC(2100, 0), max: Date.UTC(2200, 0) }),
		zone: fc.constantFrom("", "Z", "z", "+00:00", "-11:30", "+0530", "+14", "-00:01"),
		length: fc.constantFrom(10, 16, 19, 21, 23),
		between: fc.constantFrom("T", " ", "t"),
	})
	.map(({ millis, zone, length, between }) => {
		const text = new Date(millis).toISOString().slice(0, length);
		return length === 10 ? text : `${text.replace("T", between)}${zone}`;
	});
const cronExpression = anyCron.filter((text) => cronProblem(text, new Date()) === undefined);

/** By a cron expression, from a moment on, or both. */
const schedule = fc
	.record(
		{ scheduleName: name, cronExpression, startAfter, paused: fc.boolean(), adopt: fc.boolean() },
		{ requiredKeys: ["scheduleName"] },
	)
	.map((inputs) =>
		inputs.cronExpression || inputs.startAfter ? inputs : { ...inputs, cronExpression: "@daily" },
	);

const line = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, " "));
const requirement = fc.oneof(
	line,
	fc.constantFrom(
		"pillow==11.0.0",
		"torch ; python_version < '3.13' # why",
		"-i https://u:p@example.com",
		"",
	),
);
const environment = fc.dictionary(
	fc.oneof(
		fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/),
		// `__proto__` is left out: Pulumi's SDK drops the key on its way to the engine.
		fc.constantFrom("constructor", "toString", "PATH", "_", "FSSPEC_S3", "FSSPEC_HF"),
	),
	fc.oneof(
		// What ends a line for some reader is refused.
		anyText.map((text) => text.replaceAll(/[^\P{Cc}\t]|[\u2028\u2029]/gu, "")),
		fc.constantFrom("", " spaces ", "a=b=c", "#no comment", "\ud800", "🔑 鍵", '{"a":"\\u0001"}'),
	),
	{ maxKeys: 6, noNullPrototype: true },
);
const storage = fc
	.subarray([...STORAGE_KINDS], { minLength: 1 })
	.chain((kinds) => fc.tuple(...kinds.map(validConfigs)))
	.map((configs) => Object.fromEntries(configs.map(({ kind, parameters }) => [kind, parameters])));

const settings = fc
	.record(
		{
			pythonVersion: fc.constantFrom("3.12", "3.9", "3.13.1", "10.0", ""),
			requirements: fc.oneof(fc.array(requirement, { maxLength: 5 }), anyText),
			repository: fc.oneof(
				line,
				fc.constantFrom("https://u:p@example.com/r.git@main", "git@example.com:r.git", ""),
			),
			workers: fc.oneof(fc.nat({ max: 64 }), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
			priority: fc.integer({ min: 0, max: 5 }),
			paused: fc.boolean(),
			environment,
			storage,
			files: fc.subarray(["1", "2", "3"]),
			credentialsNames: fc.array(name, { maxLength: 3 }),
			adopt: fc.boolean(),
			onDestroy: fc.constantFrom("keep", "restore", "reset"),
		},
		{ requiredKeys: [] },
	)
	.map(withoutClashes)
	.map((inputs) =>
		Object.keys(inputs).every((key) => /^(adopt|onDestroy)$/.test(key)) ? { ...inputs, workers: 1 } : inputs,
	);

/** A variable is declared once: as such, or by a storage config. */
function withoutClashes<T extends { environment?: Record<string, string>; storage?: object }>(inputs: T): T {
	if (inputs.environment === undefined || inputs.storage === undefined) return inputs;
	const taken = STORAGE_KINDS.map(storageVariable);
	const entries = Object.entries(inputs.environment).filter(([key]) => !taken.includes(key));
	return { ...inputs, environment: Object.fromEntries(entries) };
}

/** How the content is given; paths and assets are made of it when the file is deployed. */
const jobFile = fc.record({
	content: anyText,
	given: fc.constantFrom("text", "path", "fileAsset", "stringAsset"),
	name: name.filter((text) => !/[\\/]/.test(text) && text !== "." && text !== ".."),
});

/** Two inputs of one resource: what it is made with, and what it is changed to; and inputs that are not known at first. */
const caseOf = (kind: Kind, inputs: fc.Arbitrary<Props>) =>
	fc.record({
		kind: fc.constant(kind),
		first: inputs,
		second: inputs,
		unknown: fc.infiniteStream(fc.nat()),
	});

/** Random valid inputs of all three resources, without the pipeline. */
export const validInputs = fc.oneof(
	{ weight: 4, arbitrary: caseOf("PipelineSchedule", schedule) },
	{ weight: 5, arbitrary: caseOf("PipelineSettings", settings) },
	{ weight: 1, arbitrary: caseOf("JobFile", jobFile) },
);
