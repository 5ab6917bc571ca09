import fc from "fast-check";
import type { DataChainClient } from "../../src/client";
import type { LiveTeam } from "../../src/commands/export/model";
import { foldName, objectName } from "../../src/schemas/primitives";
import type { Pipeline } from "../../src/schemas/wire/pipeline";
import type { Schedule } from "../../src/schemas/wire/schedule";

export const livePipeline = (
	name: string,
	settings: Partial<Pipeline> = {},
): Pipeline => ({
	pipeline_id: "7f1c2a34-0000-4000-8000-000000000001",
	name,
	status: "COMPLETED",
	...settings,
});

export const liveSchedule = (
	id: number,
	name: string | null,
	more: Partial<Schedule> = {},
): Schedule => ({
	id,
	schedule_name: name,
	cron_expression: "0 3 * * *",
	start_after: "2026-01-01T00:00:00.000000+00:00",
	pipeline: livePipeline("rusty-vise"),
	...more,
});

/** A team as the command reads it: every schedule, and the pipelines they run. */
export const liveTeam = (
	schedules: readonly Schedule[],
	pipelines: readonly Pipeline[] = [],
): LiveTeam => ({
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
	..."__proto__ constructor class await undefined globalThis exports require module".split(
		" ",
	),
	..."datachain config pulumi then nightly Nightly NIGHTLY nightly! night-ly a-1 a1".split(
		" ",
	),
	"1st",
	"---",
	"```\n# title",
	"$(reboot) `reboot` ; reboot",
	"night ly",
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
				unit: fc
					.integer({ min: 0, max: 0xffff })
					.map((code) => String.fromCharCode(code)),
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

const START = "2100-01-01T00:00:00.000Z";
const TIMES = [
	{ cron_expression: "@daily" },
	{ cron_expression: " 5  4 * * 1-5 ", start_after: START },
	{ start_after: START },
	{ cron_expression: "0 0 * JAN sun" },
];
const SETTINGS = [
	{
		python_version: "3.12",
		requirements: `numpy\n--index-url https://u:${CANARY}@example.com/simple`,
		workers: 3,
		environment: `API_TOKEN=${CANARY} é漢🦊\nFSSPEC_S3={"key":"${CANARY}"}\nLOG_LEVEL=`,
	},
	{
		requirements: "pillow\n\n torch ",
		repository: `https://u:${CANARY}@example.com/r.git@main`,
		priority: 0,
	},
	{
		requirements: "a==1; python_version < '4' # \"quoted\"",
		repository: "https://example.com/r.git@main",
	},
];

/** Adds schedules with every name that one program can declare beside the others, and pipelines with settings, one of them paused. */
export async function addHostileTeam(
	client: DataChainClient,
): Promise<{ scheduleCount: number }> {
	const allowed = HOSTILE.filter(
		(text) => objectName.safeParse(text).success && !/\p{Cs}/u.test(text),
	);
	const names = [...new Map(allowed.map((text) => [foldName(text), text])).values()];
	const pipelines: string[] = [];
	for (const [index, settings] of SETTINGS.entries()) {
		const { pipeline } = await client.pipelines.trigger({
			datasets: ["dev.images.clean"],
			review: index === 1,
		});
		const pipeline_name = pipeline?.name ?? "";
		pipelines.push(pipeline_name);
		await client.pipelines.settings({ pipeline_name, ...settings });
	}
	for (const [index, schedule_name] of names.entries()) {
		const pipeline_name = pipelines[index % pipelines.length] ?? "";
		await client.schedules.create({
			schedule_name,
			pipeline_name,
			...TIMES[index % TIMES.length],
		});
	}
	return { scheduleCount: names.length };
}
