import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { cronProblem } from "../../src/cron";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import type { Kind } from "../../src/schemas/kinds";
import { objectName } from "../../src/schemas/primitives";
import { STORAGE_KINDS, storageVariable } from "../../src/storage/rules";
import { anyCron } from "../helpers/cron-expressions";
import { HOSTILE } from "../helpers/export-teams";
import { providerWorld, Stack } from "../helpers/provider-harness";
import { asset } from "../helpers/provider-kinds";
import { validConfigs } from "../helpers/storage-environment";
import { testFolder } from "../helpers/test-folder";

/** They reach URLs and messages, so they are as odd as they may be. */
const TEAMS = ["plain", "équipe 部 🚀", "a/b?c=d&e#f %2e", "__proto__"];
/** A preview must promise a replacement where such a value is not known yet, and only there. */
const REPLACING = ["pipelineName", "teamName", "text", "source", "name"];
const SEED = Number(process.env.PROPERTIES_SEED ?? 1);
const CASES = Number(process.env.PROPERTIES_CASES ?? 40);

it("whatever is declared reads back as declared, with nothing left to do, also after a change", {
	timeout: 900_000 + 500 * CASES,
}, async () => {
	const world = await providerWorld();
	const folder = testFolder("properties-");
	const fileInputs = ({ content, given, name }: Props): Props => {
		const text = String(content);
		const hash = createHash("sha256").update(text).digest("hex");
		const path = join(folder, hash);
		writeFileSync(path, text);
		if (given === "text") return { text, name };
		if (given === "path") return { source: path };
		return {
			source: asset({ hash, ...(given === "stringAsset" ? { text } : { path }) }),
			name,
		};
	};
	let cases = 0;
	const lives = fc.asyncProperty(
		validInputs,
		async ({ kind, first, second, unknown }) => {
			const teamName = TEAMS[cases++ % TEAMS.length] ?? "";
			const colleague = world.server.addTeam(teamName, { pipelines: ["p"] });
			try {
				const { client } = world.process().context;
				const files = new Map<unknown, string>();
				for (const name of ["1", "2", "3"]) {
					const { file } = await client.jobs.uploadFile(
						{ name, content: "x" },
						{ team_name: teamName },
					);
					files.set(name, String(file.id));
				}
				const filled = (inputs: Props): Props => {
					if (kind === "JobFile") return fileInputs(inputs);
					const attached = Array.isArray(inputs.files) && {
						files: inputs.files.map((name) => files.get(name)),
					};
					return { ...inputs, ...attached, pipelineName: "p" };
				};
				// What travels between the engine and the provider is JSON.
				const sent = (inputs: Props): Props =>
					JSON.parse(JSON.stringify({ ...filled(inputs), teamName }));
				const a = sent(first);
				// What others had set stays theirs where it is not adopted, and is rightly refused.
				const b = sent(
					kind === "PipelineSettings" ? { ...second, adopt: first.adopt } : second,
				);
				if (kind === "PipelineSettings" && a.adopt === true)
					colleague.setSettings({
						...{
							pipeline_name: "p",
							python_version: "3.10",
							requirements: "theirs",
							workers: 7,
						},
						environment: 'THEIRS=1\nFSSPEC_S3={"anon":true}',
					});
				const stack = new Stack(world);
				const who = { kind, name: "one" };
				const up = async (args: Props) => {
					const { steps, failures } = await stack.up([{ ...who, args }]);
					expect(failures).toEqual([]);
					return steps;
				};
				const settles = async (inputs: Props) => {
					const declared = stack.entry("one").inputs;
					await stack.refresh();
					expect({ ...stack.entry("one").inputs, __provider: "stub" }).toEqual(
						declared,
					);
					expect(await up(inputs)).toEqual(["same one"]);
				};
				const once = await world.process().check(who, a);
				expect(await world.process().check(who, once)).toEqual(once);
				expect(await up(a)).toEqual(["create one"]);
				expect(await world.process().check(who, once, stack.entry("one"))).toEqual(
					once,
				);
				await settles(a);
				const keys = Object.keys(a);
				const sure = keys[(unknown.next().value ?? 0) % keys.length];
				const open = keys.filter(
					(key) => key === sure || (unknown.next().value ?? 0) % 5 === 0,
				);
				const unknowns = Object.fromEntries(open.map((key) => [key, UNKNOWN]));
				const { steps, failures } = await stack.preview([
					{ ...who, args: { ...a, ...unknowns } },
				]);
				expect(failures).toEqual([]);
				expect(steps.includes("replace one"), `unknown ${open.join(", ")}`).toBe(
					open.some((key) => REPLACING.includes(key)),
				);
				await up(b);
				await settles(b);
				const { id, outs } = stack.entry("one");
				expect((await stack.destroy()).failures).toEqual([]);
				if (kind === "PipelineSchedule")
					expect(await world.process().serve(kind).read(id, outs)).toEqual({});
			} finally {
				world.server.removeTeam(teamName);
			}
		},
	);
	await fc.assert(lives, { seed: SEED, numRuns: CASES });
});

const anyText = fc.oneof(
	fc.string({ unit: "binary", maxLength: 30 }),
	fc.string({ unit: "grapheme" }),
);
const name = fc
	.oneof(anyText, fc.constantFrom(...HOSTILE, "%2e%2e/..;?#&=+", " edges "))
	.filter(
		(text) =>
			objectName.safeParse(text).success && text.trim() !== "" && !/\p{Cs}/u.test(text),
	);

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
const cronExpression = anyCron.filter(
	(text) => cronProblem(text, new Date()) === undefined,
);

/** By a cron expression, from a moment on, or both. */
const schedule = fc
	.record(
		{
			scheduleName: name,
			cronExpression,
			startAfter,
			paused: fc.boolean(),
			adopt: fc.boolean(),
		},
		{ requiredKeys: ["scheduleName"] },
	)
	.map((inputs) =>
		inputs.cronExpression || inputs.startAfter
			? inputs
			: { ...inputs, cronExpression: "@daily" },
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
		fc.constantFrom(
			"",
			" spaces ",
			"a=b=c",
			"#no comment",
			"\ud800",
			"🔑 鍵",
			'{"a":"\\u0001"}',
		),
	),
	{ maxKeys: 6, noNullPrototype: true },
);
const storage = fc
	.subarray([...STORAGE_KINDS], { minLength: 1 })
	.chain((kinds) => fc.tuple(...kinds.map(validConfigs)))
	.map((configs) =>
		Object.fromEntries(configs.map(({ kind, parameters }) => [kind, parameters])),
	);

const settings = fc
	.record(
		{
			pythonVersion: fc.constantFrom("3.12", "3.9", "3.13.1", "10.0", ""),
			requirements: fc.oneof(fc.array(requirement, { maxLength: 5 }), anyText),
			repository: fc.oneof(
				fc
					.stringMatching(/^[\w./~-]{1,30}(@[\w./-]{1,20})?$/)
					.map((path) => `https://git.example.com/${path}`),
				fc.constantFrom(
					"https://u:p@example.com/r.git@main",
					"git@example.com:r.git",
					"",
				),
			),
			workers: fc.oneof(
				fc.integer({ min: 1, max: 64 }),
				fc.constantFrom(1, Number.MAX_SAFE_INTEGER),
			),
			priority: fc.integer({ min: 0, max: 5 }),
			paused: fc.boolean(),
			environment,
			storage,
			files: fc.subarray(["1", "2", "3"]),
			credentialsNames: fc.array(name, { maxLength: 3 }),
			adopt: fc.boolean(),
			onDestroy: fc.constantFrom("keep", "reset"),
		},
		{ requiredKeys: [] },
	)
	.map(withoutClashes)
	.map((inputs) =>
		Object.keys(inputs).every((key) => /^(adopt|onDestroy)$/.test(key))
			? { ...inputs, workers: 1 }
			: inputs,
	);

/** A variable is declared once: as such, or by a storage config. */
function withoutClashes<
	T extends { environment?: Record<string, string>; storage?: object },
>(inputs: T): T {
	if (inputs.environment === undefined || inputs.storage === undefined) return inputs;
	const taken = STORAGE_KINDS.map(storageVariable);
	const entries = Object.entries(inputs.environment).filter(
		([key]) => !taken.includes(key),
	);
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
const validInputs = fc.oneof(
	{ weight: 4, arbitrary: caseOf("PipelineSchedule", schedule) },
	{ weight: 5, arbitrary: caseOf("PipelineSettings", settings) },
	{ weight: 1, arbitrary: caseOf("JobFile", jobFile) },
);
