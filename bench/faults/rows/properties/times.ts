import fc from "fast-check";
import { isValidCron } from "../../../../src/schemas/cron";

const cronField = (min: number, max: number) => {
	const value = fc.integer({ min, max });
	const range = fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
	const step = fc.tuple(fc.oneof(fc.constant("*"), range), fc.integer({ min: 1, max: 30 }));
	const part = fc.oneof(
		fc.constant("*"),
		value.map(String),
		range,
		step.map(([of, by]) => `${of}/${by}`),
	);
	return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","));
};

const blank = fc.constantFrom(" ", "  ", "\t");

const cron = fc
	.oneof(
		{
			weight: 4,
			arbitrary: fc
				.tuple(
					cronField(0, 59),
					cronField(0, 23),
					cronField(1, 31),
					fc.oneof(cronField(1, 12), fc.constantFrom("jan", "FEB-apr", "Jan,Dec")),
					fc.oneof(cronField(0, 7), fc.constantFrom("mon", "SUN-sat", "tue,7")),
					blank,
				)
				.map(([a, b, c, d, e, gap]) => [a, b, c, d, e].join(gap)),
		},
		fc.constantFrom("@hourly", "@daily", "@MIDNIGHT", "@weekly", "@monthly", "@yearly", " @annually "),
	)
	.filter(isValidCron);

const pad = (value: number, digits = 2) => String(value).padStart(digits, "0");

/** Spellings of a moment: with and without seconds, fractions and offset. */
const start = fc
	.tuple(
		fc.oneof(
			{ weight: 8, arbitrary: fc.integer({ min: Date.UTC(2027, 0), max: Date.UTC(2200, 0) }) },
			fc.integer({ min: Date.UTC(1970, 0), max: Date.UTC(2026, 0) }),
			fc.constantFrom(Date.UTC(9999, 11, 31, 8), Date.UTC(2028, 1, 29)),
		),
		fc.constantFrom("", "Z", "z", "+00:00", "-11:30", "+0530", "+14", "-00:01"),
		fc.constantFrom("", ".1", ".123", ".123456", ".999999999"),
		fc.constantFrom("T", " ", "t"),
		fc.constantFrom("date", "minutes", "seconds"),
	)
	.map(([millis, zone, fraction, between, precision]) => {
		const at = new Date(millis);
		const date = `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1)}-${pad(at.getUTCDate())}`;
		if (precision === "date") return date;
		const minutes = `${date}${between}${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`;
		return precision === "minutes"
			? `${minutes}${zone}`
			: `${minutes}:${pad(at.getUTCSeconds())}${fraction}${zone}`;
	});

/** When a schedule runs: by a cron expression, from a moment on, or both. */
export const times = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ cronExpression: cron }) },
	{ weight: 3, arbitrary: fc.record({ cronExpression: cron, startAfter: start }) },
	{ weight: 1, arbitrary: fc.record({ startAfter: start }) },
);
