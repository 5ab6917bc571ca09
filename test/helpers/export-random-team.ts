import fc from "fast-check";
import type { DataChainClient } from "../../src/api";
import { objectName } from "../../src/schemas/primitives";
import { HOSTILE, hostileText } from "./export-hostile";

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
