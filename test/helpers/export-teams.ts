import fc from "fast-check";
import type { DataChainClient } from "../../src/api";
import type { LiveTeam } from "../../src/commands/export-model";
import { objectName } from "../../src/schemas/primitives";
import type { Pipeline } from "../../src/schemas/wire/pipeline";
import type { Schedule } from "../../src/schemas/wire/schedule";

export const livePipeline = (name: string, settings: Partial<Pipeline> = {}): Pipeline => ({
	pipeline_id: "7f1c2a34-0000-4000-8000-000000000001",
	name,
	status: "COMPLETED",
	...settings,
});

export const liveSchedule = (id: number, name: string | null, more: Partial<Schedule> = {}): Schedule => ({
	id,
	schedule_name: name,
	cron_expression: "0 3 * * *",
	start_after: "2026-01-01T00:00:00.000000+00:00",
	pipeline: livePipeline("rusty-vise"),
	...more,
});

/** A team as the command reads it: every schedule, and the pipelines they run. */
export const liveTeam = (schedules: readonly Schedule[], pipelines: readonly Pipeline[] = []): LiveTeam => ({
	all: schedules,
	schedules,
	pipelines,
});

/** Names that would break out of code, comments, Markdown, shells or terminals, if any of them were made by pasting. */
export const HOSTILE: readonly string[] = [
	'"); process.exit(7); ("',
	"'); process.exit(7); ('",
	"`\u0024{process.exit(7)}`",
	"\u0024{process.exit(7)}",
	"*/ process.exit(7); /*",
	"// nothing",
	"line one\nprocess.exit(7)",
	"carriage\rreturn",
	"line\u2028separator\u2029paragraph",
	"</script><script>alert(1)</script>",
	"<!-- -->",
	"back\\slash\\",
	"\\u0022",
	"nul\u0000byte",
	"escape \u001b[2J sequence",
	"right-to-left \u202e\u2066 override",
	"zero\u200bwidth\ufeff\u{e0001}",
	"__proto__",
	"constructor",
	"class",
	"await",
	"undefined",
	"globalThis",
	"exports",
	"require",
	"module",
	"datachain",
	"config",
	"pulumi",
	"then",
	"1st",
	"---",
	"```\n# title",
	"$(reboot) `reboot` ; reboot",
	"Nightly",
	"nightly",
	"NIGHTLY",
	"nightly!",
	"night-ly",
	"night ly",
	"a-1",
	"a1",
	"夜間の画像",
	"ночной",
	"Übergröße",
	"👩‍🚀 crew",
	"\ud800 alone",
	"𝒜𝓁𝓅𝒽𝒶",
	"\u{10d4a}\u{a7cb}",
	"x".repeat(255),
	`${"x".repeat(254)}y`,
];

/** Any text, made of pieces that matter more often than chance would. */
export const hostileText: fc.Arbitrary<string> = fc
	.array(
		fc.oneof(
			fc.string({ unit: "binary", maxLength: 8 }),
			fc.string({
				unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
				maxLength: 4,
			}),
			fc.constantFrom(...HOSTILE.filter((text) => text.length < 60)),
			fc.constantFrom("'", '"', "`", "\\", "\n", "\u2028", "</", "-", "_", "1", "a"),
		),
		{ maxLength: 6 },
	)
	.map((parts) => parts.join(""));

/** In every value that must not show up in clear. */
export const CANARY = "canary-5e1f";

const DATASETS = ["dev.images.clean", "dev.images.final_result", "dev.images.thumbnails"];

const name = fc
	.oneof(hostileText, fc.constantFrom(...HOSTILE), fc.string({ maxLength: 30 }))
	.filter((text) => objectName.safeParse(text).success && !/\p{Cs}/u.test(text));

const cron = fc.constantFrom(
	"0 3 * * *",
	"@daily",
	" 5  4 * * 1-5 ",
	"*/15 0-6 1,15 * *",
	"0 0 * JAN sun",
	"@yearly",
);
const start = fc
	.integer({ min: Date.UTC(2100, 0), max: Date.UTC(2101, 0) })
	.map((millis) => new Date(millis).toISOString());

const time = fc.oneof(
	fc.record({ cron_expression: cron }),
	fc.record({ cron_expression: cron, start_after: start }),
	fc.record({ start_after: start }),
);

const secretValue = fc
	.string({ unit: "grapheme", maxLength: 12 })
	.filter((text) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text))
	.map((text) => `${CANARY} ${text}`);

const settings = fc.record(
	{
		python_version: fc.constantFrom("3.11", "3.12"),
		requirements: fc.constantFrom(
			"pillow\n\n torch ",
			`numpy\n--index-url https://u:${CANARY}@example.com/simple`,
			"a==1; python_version < '4' # \"quoted\"",
		),
		repository: fc.constantFrom(
			"https://example.com/r.git@main",
			`https://u:${CANARY}@example.com/r.git@main`,
		),
		workers: fc.nat({ max: 9 }),
		priority: fc.integer({ min: 0, max: 5 }),
		environment: fc.record(
			{
				API_TOKEN: secretValue,
				FSSPEC_S3: fc.constant(`{"key":"${CANARY}"}`),
				LOG_LEVEL: fc.constantFrom("info", ""),
			},
			{ requiredKeys: [] },
		),
	},
	{ requiredKeys: [] },
);

const team = fc.record({
	pipelines: fc.array(fc.record({ dataset: fc.constantFrom(...DATASETS), review: fc.boolean(), settings }), {
		minLength: 3,
		maxLength: 4,
	}),
	schedules: fc.uniqueArray(fc.record({ name, time, pipeline: fc.nat() }), {
		selector: (schedule) => schedule.name,
		minLength: 20,
		maxLength: 30,
	}),
});

/** Adds a team's worth of schedules and settings, the same for the same seed. Names of pipelines are the service's. */
export async function addRandomTeam(
	client: DataChainClient,
	seed: number,
): Promise<{ scheduleCount: number }> {
	const [made] = fc.sample(team, { seed, numRuns: 1 });
	if (made === undefined) throw new Error("no team was made");
	const pipelines: string[] = [];
	for (const { dataset, review, settings: wanted } of made.pipelines) {
		const { pipeline } = await client.pipelines.trigger({ datasets: [dataset], review });
		const pipeline_name = pipeline?.name ?? "";
		pipelines.push(pipeline_name);
		const { environment, ...others } = wanted;
		const lines = Object.entries(environment ?? {}).map(([key, value]) => `${key}=${value}`);
		await client.pipelines.settings({ pipeline_name, ...others, environment: lines.join("\n") });
	}
	for (const schedule of made.schedules) {
		const pipeline_name = pipelines[schedule.pipeline % pipelines.length] ?? "";
		await client.schedules.create({ schedule_name: schedule.name, pipeline_name, ...schedule.time });
	}
	return { scheduleCount: made.schedules.length };
}
