import { markdownTable } from "../../tools/matrix/table";
import { type Sample, stepNames, stepTitles, variantNames } from "./model";
import { floorOf, type Row, type Target, targetsOf } from "./targets";

const legend = `Wall: median of the repetitions. CPU: the whole process tree (engine, program, provider), without the server.
Each step is one engine operation (--skip-preview). State: bytes of the checkpoint a resource after the first up.
Memory: peak of the provider process. floor: a native plugin that does nothing, so no request and no delay.
idle: a dynamic provider that does nothing either; what it needs beyond the floor is Pulumi's own Node host.`;

/** Table, legend and targets. */
export function renderReport(samples: readonly Sample[]): string {
	const rows = summarize(samples).sort(inOrder);
	const tables = [true, false].flatMap((checkpoints) => {
		const own = rows.filter((row) => row.checkpoints === checkpoints);
		if (own.length === 0) return [];
		return [checkpoints ? "" : "With PULUMI_SKIP_CHECKPOINTS=true:\n", renderTable(own), ""];
	});
	return [...tables, legend, "", "Targets", "", renderTargets(targetsOf(rows))].join("\n");
}

function inOrder(a: Row, b: Row): number {
	return (
		a.n - b.n ||
		a.delayMs - b.delayMs ||
		stepNames.indexOf(a.step) - stepNames.indexOf(b.step) ||
		variantNames.indexOf(a.variant) - variantNames.indexOf(b.variant)
	);
}

const headings = [
	"n",
	"delay",
	"step",
	"variant",
	"wall s (min–max)",
	"× floor",
	"CPU s",
	"requests",
	"in flight",
	"state B/res",
	"memory MB",
] as const;

function renderTable(rows: readonly Row[]): string {
	return markdownTable(
		headings,
		rows.map((row) => cells(row, floorOf(rows, row))),
	);
}

function cells(row: Row, floor: Row | undefined): string[] {
	const { median, min, max } = row.wallMs;
	const spread = row.repetitions > 1 ? ` (${seconds(min)}–${seconds(max)})` : "";
	return [
		String(row.n),
		`${row.delayMs} ms`,
		stepTitles[row.step],
		row.variant,
		`${seconds(median)}${spread}`,
		floor ? (median / floor.wallMs.median).toFixed(2) : "–",
		row.cpuMs === undefined ? "–" : seconds(row.cpuMs),
		String(row.requests),
		String(row.maxInFlight),
		row.stateBytes === undefined ? "–" : row.stateBytes.toFixed(0),
		row.memoryBytes === undefined ? "–" : (row.memoryBytes / 1e6).toFixed(0),
	];
}

function renderTargets(targets: readonly Target[]): string {
	if (targets.length === 0) return "This run covers none of the targets.";
	const lines = targets.map(({ title, reached, limit, ok }) => [title, reached, limit, ok ? "ok" : "MISSED"]);
	return markdownTable(["target", "reached", "wanted", ""], lines);
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

/** The rows of the samples, in the order in which each first appears. */
function summarize(samples: readonly Sample[]): Row[] {
	const groups = new Map<string, [Sample, ...Sample[]]>();
	for (const sample of samples) {
		const key = [sample.checkpoints, sample.n, sample.delayMs, sample.step, sample.variant].join(" ");
		const known = groups.get(key);
		if (known === undefined) groups.set(key, [sample]);
		else known.push(sample);
	}
	return [...groups.values()].map(rowOf);
}

function rowOf(samples: readonly [Sample, ...Sample[]]): Row {
	const { variant, step, n, delayMs, checkpoints } = samples[0];
	const walls = samples.map(({ wallMs }) => wallMs);
	const most = (values: readonly number[]) => Math.max(...values);
	const ofKnown = (key: "cpuMs" | "memoryBytes" | "stateBytes" | "bareStateBytes", combine = median) => {
		const known = samples.flatMap((sample) => sample[key] ?? []);
		return known.length === 0 ? undefined : combine(known);
	};
	return {
		...{ variant, step, n, delayMs, checkpoints },
		repetitions: samples.length,
		wallMs: { median: median(walls), min: Math.min(...walls), max: most(walls) },
		cpuMs: ofKnown("cpuMs"),
		requests: most(samples.map(({ requests }) => requests)),
		maxInFlight: most(samples.map(({ maxInFlight }) => maxInFlight)),
		memoryBytes: ofKnown("memoryBytes", most),
		stateBytes: ofKnown("stateBytes"),
		bareStateBytes: ofKnown("bareStateBytes"),
	};
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length / 2;
	const [lower = Number.NaN, upper = Number.NaN] = [
		sorted[Math.ceil(middle) - 1],
		sorted[Math.floor(middle)],
	];
	return (lower + upper) / 2;
}
