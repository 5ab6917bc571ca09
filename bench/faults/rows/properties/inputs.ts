import fc from "fast-check";
import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import { objectName } from "../../../../src/schemas/primitives";
import { cronProblem } from "../../../../src/schemas/schedule-args";
import { STORAGE_KINDS, storageVariable } from "../../../../src/schemas/storage";
import { anyCron } from "../../../../test/helpers/cron-expressions";
import { validConfigs } from "../../../../test/helpers/storage-arbitraries";
import type { Drawn } from "../model/edits";

const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 30 }), fc.string({ unit: "grapheme" }));

const name = fc
	.oneof(
		fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
		fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
		fc.constantFrom(
			"__proto__",
			"näme 名前 🚀",
			"a".repeat(255),
			`"'\\\`$(id)`,
			"%2e%2e/..;?#&=+",
			" edges ",
		),
	)
	.filter((text) => objectName.safeParse(text).success && text.trim() !== "");

const cron = anyCron.filter((text) => cronProblem(text, new Date()) === undefined);

/** Spellings of a moment to come: with and without seconds, fractions and offset. */
const start = fc
	.record({
		millis: fc.integer({ min: Date.UTC(2100, 0), max: Date.UTC(2200, 0) }),
		zone: fc.constantFrom("", "Z", "z", "+00:00", "-11:30", "+0530", "+14", "-00:01"),
		// The local server keeps milliseconds.
		fraction: fc.constantFrom("", ".1", ".123"),
		between: fc.constantFrom("T", " ", "t"),
		precision: fc.constantFrom("date", "minutes", "seconds"),
	})
	.map(({ millis, zone, fraction, between, precision }) => {
		const [date = "", time = ""] = new Date(millis).toISOString().slice(0, 19).split("T");
		if (precision === "date") return date;
		const clock = precision === "minutes" ? time.slice(0, 5) : `${time}${fraction}`;
		return `${date}${between}${clock}${zone}`;
	});

/** By a cron expression, from a moment on, or both. */
const times = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ cronExpression: cron }) },
	{ weight: 3, arbitrary: fc.record({ cronExpression: cron, startAfter: start }) },
	{ weight: 1, arbitrary: fc.record({ startAfter: start }) },
);

const schedule = fc
	.tuple(
		fc.record(
			{ scheduleName: name, paused: fc.boolean(), adopt: fc.boolean() },
			{ requiredKeys: ["scheduleName"] },
		),
		times,
	)
	.map(([others, time]) => ({ ...others, ...time }));

const line = anyText.map((text) => text.replaceAll(/\p{Cc}/gu, " "));
const REQUIREMENTS = [
	"pillow==11.0.0",
	"torch ; python_version < '3.13' # why",
	"-i https://u:p@example.com",
	"",
];
const REPOSITORIES = ["https://u:p@example.com/r.git@main", "git@example.com:r.git", ""];
const requirement = fc.oneof(line, fc.constantFrom(...REQUIREMENTS));
const ODD_VALUES = ["", " spaces ", "a=b=c", "#no comment", "\ud800", "🔑 鍵", '{"a":"\\u0001"}'];
/** What ends a line for some reader is refused. */
const value = anyText.map((text) => text.replaceAll(/[^\P{Cc}\t]|[\u2028\u2029]/gu, ""));
const environment = fc.dictionary(
	fc.oneof(
		fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/),
		// `__proto__` is left out: Pulumi's SDK drops the key on its way to the engine.
		fc.constantFrom("constructor", "toString", "PATH", "_", "FSSPEC_S3", "FSSPEC_HF"),
	),
	fc.oneof(value, fc.constantFrom(...ODD_VALUES)),
	{ maxKeys: 6, noNullPrototype: true },
);

const storage = fc
	.subarray([...STORAGE_KINDS], { minLength: 1 })
	.chain((kinds) => fc.tuple(...kinds.map(validConfigs)))
	.map((configs) => Object.fromEntries(configs.map(({ kind, parameters }) => [kind, parameters])));

/** Files are given by number; the deployment has that many to choose from. */
export const FILES = 3;

const settings = fc
	.record(
		{
			pythonVersion: fc.constantFrom("3.12", "3.9", "3.13.1", "10.0", ""),
			requirements: fc.oneof(fc.array(requirement, { maxLength: 5 }), anyText),
			repository: fc.oneof(line, fc.constantFrom(...REPOSITORIES)),
			workers: fc.oneof(fc.nat({ max: 64 }), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
			priority: fc.integer({ min: 0, max: 5 }),
			paused: fc.boolean(),
			environment,
			storage,
			files: fc.subarray(Array.from({ length: FILES }, (_, index) => index)),
			credentialsNames: fc.array(name, { maxLength: 3 }),
			adopt: fc.boolean(),
			onDestroy: fc.constantFrom("keep", "restore", "reset"),
		},
		{ requiredKeys: [] },
	)
	.map(withoutClashes)
	.map((inputs) =>
		Object.keys(inputs).every((key) => /^(adopt|onDestroy)$/.test(key)) ? { workers: 1 } : inputs,
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

/** Two inputs of one resource: what it is made with, and what it is changed to; and a draw for where the unknowns go. */
const caseOf = (kind: Kind, inputs: fc.Arbitrary<Props>) =>
	fc.record({ kind: fc.constant(kind), first: inputs, second: inputs, draw: fc.nat() });

export type Case = Drawn<ReturnType<typeof caseOf>>;

/** Random valid inputs of all three resources. */
export const cases = fc.oneof(
	{ weight: 4, arbitrary: caseOf("PipelineSchedule", schedule) },
	{ weight: 5, arbitrary: caseOf("PipelineSettings", settings) },
	{ weight: 1, arbitrary: caseOf("JobFile", jobFile) },
);
