import fc from "fast-check";
import { objectName } from "../../../../src/schemas/primitives";
import { ON_DESTROY } from "../../../../src/schemas/settings-args";
import { STORAGE_KINDS, storageVariable } from "../../../../src/schemas/storage";
import { validConfigs } from "../../../../test/helpers/storage-arbitraries";
import { times } from "./times";

export type Kind = "PipelineSchedule" | "PipelineSettings" | "JobFile";

/** Inputs as a program gives them, without the names that depend on where they are deployed. */
export type Inputs = Readonly<Record<string, unknown>>;

/** Two inputs of one resource: what it is made with, and what it is changed to. */
export interface Case {
	readonly kind: Kind;
	readonly first: Inputs;
	readonly second: Inputs;
	/** Where the unknowns go. */
	readonly draw: number;
}

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

const requirement = fc.oneof(
	line,
	fc.constantFrom(
		"pillow==11.0.0",
		"torch ; python_version < '3.13' # why",
		"--extra-index-url https://user:pass@example.com/simple",
		"",
	),
);

const variableName = fc.oneof(
	fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/),
	// `__proto__` is left out: Pulumi's SDK drops the key on its way to the engine.
	fc.constantFrom("constructor", "toString", "PATH", "_", "FSSPEC_S3", "FSSPEC_HF"),
);

const environment = fc.dictionary(
	variableName,
	fc.oneof(
		anyText.map((text) => text.replaceAll(/[\n\r\0]/g, "")),
		fc.constantFrom(
			"",
			" spaces ",
			"a=b=c",
			"#no comment",
			"\u2028\u0085\v\f",
			"\ud800",
			"🔑 鍵",
			'{"a":"\\u0001"}',
		),
	),
	{ maxKeys: 6, noNullPrototype: true },
);

const STORAGE_VARIABLES = STORAGE_KINDS.map(storageVariable);

/** A variable is declared once: as such, or by a storage config. */
function withoutClashes<T extends { environment?: Record<string, string>; storage?: object }>(inputs: T): T {
	if (inputs.environment === undefined || inputs.storage === undefined) return inputs;
	const entries = Object.entries(inputs.environment).filter(([key]) => !STORAGE_VARIABLES.includes(key));
	return { ...inputs, environment: Object.fromEntries(entries) };
}

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
			repository: fc.oneof(
				line,
				fc.constantFrom("https://u:p@example.com/r.git@main", "git@example.com:r.git", ""),
			),
			workers: fc.oneof(fc.nat({ max: 64 }), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
			priority: fc.integer({ min: 0, max: 5 }),
			environment,
			storage,
			files: fc.subarray(Array.from({ length: FILES }, (_, index) => index)),
			credentialsNames: fc.array(name, { maxLength: 3 }),
			adopt: fc.boolean(),
			onDestroy: fc.constantFrom(...ON_DESTROY),
		},
		{ requiredKeys: [] },
	)
	.map(withoutClashes)
	.map((inputs) =>
		Object.keys(inputs).some((key) => !OPTIONS.includes(key)) ? inputs : { ...inputs, workers: 1 },
	);

const OPTIONS = ["adopt", "onDestroy"];

const fileName = name.filter((text) => !/[\\/]/.test(text) && text !== "." && text !== "..");

/** How the content is given; paths and assets are made of it when the file is deployed. */
export const SOURCES = ["text", "path", "fileAsset", "stringAsset"] as const;

const jobFile = fc.record({ content: anyText, given: fc.constantFrom(...SOURCES), name: fileName });

const draw = fc.nat();

/** Random valid inputs of all three resources. */
export const cases: fc.Arbitrary<Case> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			kind: fc.constant<Kind>("PipelineSchedule"),
			first: schedule,
			second: schedule,
			draw,
		}),
	},
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant<Kind>("PipelineSettings"),
			first: settings,
			second: settings,
			draw,
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant<Kind>("JobFile"), first: jobFile, second: jobFile, draw }),
	},
);
