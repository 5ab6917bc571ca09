import { markdownTable } from "../../tools/matrix/table";
import { type Sample, STEPS, VARIANTS } from "./samples";

const LEGEND = `CPU: median of the repetitions, the whole process tree (engine, program, provider), without the server.
Wall times are worth as much as the machine is quiet; load is the highest before a sample.
Each step is one engine operation (--skip-preview). State: bytes of the checkpoint a resource after the first up.
Memory: peak of the provider process. floor: a native plugin that does nothing, so no request and no delay.
idle: a dynamic provider that does nothing either; what it needs beyond the floor is Pulumi's own Node host.
plugin: the same resources with an explicit Provider, which our plugin serves.
naive: a dynamic provider as the public examples have it. other: the package in the folder of --other.`;

/** What the columns make of one step of one variant, over all repetitions, beside the floor and the idle provider. */
const COLUMNS: Readonly<Record<string, (row: Row, rows: readonly Row[]) => string>> = {
	n: ({ n }) => String(n),
	delay: ({ delayMs }) => `${delayMs} ms`,
	checkpoints: ({ checkpoints }) => (checkpoints ? "yes" : "no"),
	step: ({ step }) => step,
	variant: ({ variant }) => variant,
	"CPU s (min–max)": ({ samples }) =>
		spread(samples.flatMap(({ cpuMs }) => cpuMs ?? [])),
	"× floor": (row, rows) => ratio(row, rows, "floor", "cpuMs"),
	"× idle": (row, rows) => ratio(row, rows, "idle", "cpuMs"),
	"wall s (min–max)": ({ samples }) => spread(samples.map(({ wallMs }) => wallMs)),
	"× idle, wall": (row, rows) => ratio(row, rows, "idle", "wallMs"),
	load: ({ samples }) => shown(Math.max(...samples.map(({ load = 0 }) => load)), 1, 1),
	requests: (row) => String(Math.max(...row.samples.map(({ requests }) => requests))),
	"in flight": (row) =>
		String(Math.max(...row.samples.map(({ maxInFlight }) => maxInFlight))),
	"state B/res": (row) => shown(medianOf(row, "stateBytes"), 1, 0),
	// The most, as a limit must hold every time.
	"memory MB": ({ samples }) =>
		shown(Math.max(...samples.map(({ memoryBytes = 0 }) => memoryBytes)), 1e6, 0),
};

type Row = Sample & { readonly samples: readonly Sample[] };

/** Table and legend. */
export function renderReport(samples: readonly Sample[]): string {
	const groups = new Map<string, Sample[]>();
	for (const sample of samples) {
		const key = [
			sample.checkpoints,
			sample.n,
			sample.delayMs,
			sample.step,
			sample.variant,
		].join(" ");
		groups.set(key, [...(groups.get(key) ?? []), sample]);
	}
	const rows = [...groups.values()]
		.flatMap(([first, ...more]) =>
			first ? [{ ...first, samples: [first, ...more] }] : [],
		)
		.sort(inOrder);
	const cells = rows.map((row) =>
		Object.values(COLUMNS).map((cell) => cell(row, rows)),
	);
	return `${markdownTable(Object.keys(COLUMNS), cells)}\n\n${LEGEND}`;
}

const inOrder = (a: Row, b: Row): number =>
	Number(b.checkpoints) - Number(a.checkpoints) ||
	a.n - b.n ||
	a.delayMs - b.delayMs ||
	STEPS.indexOf(a.step) - STEPS.indexOf(b.step) ||
	VARIANTS.indexOf(a.variant) - VARIANTS.indexOf(b.variant);

/** Those that do nothing make no request, so one measurement of them stands beside every delay. */
function ratio(
	row: Row,
	rows: readonly Row[],
	beside: "floor" | "idle",
	key: "wallMs" | "cpuMs",
): string {
	const other = rows.find(
		({ variant, step, n, checkpoints }) =>
			variant === beside &&
			step === row.step &&
			n === row.n &&
			checkpoints === row.checkpoints,
	);
	const [own = 0, base] = [medianOf(row, key), other && medianOf(other, key)];
	return base ? (own / base).toFixed(2) : "–";
}

const medianOf = (
	{ samples }: Row,
	key: "wallMs" | "cpuMs" | "stateBytes",
): number | undefined => median(samples.flatMap((sample) => sample[key] ?? []));

const shown = (value: number | undefined, unit: number, digits: number): string =>
	value ? (value / unit).toFixed(digits) : "–";

/** The median in seconds, and the least and the most if there are several. */
function spread(millis: readonly number[]): string {
	const seconds = millis.map((each) => each / 1000);
	const middle = median(seconds);
	if (middle === undefined) return "–";
	const around = ` (${Math.min(...seconds).toFixed(2)}–${Math.max(...seconds).toFixed(2)})`;
	return `${middle.toFixed(2)}${seconds.length > 1 ? around : ""}`;
}

function median(values: readonly number[]): number | undefined {
	const sorted = [...values].sort((a, b) => a - b);
	const [lower, upper] = [
		sorted[Math.ceil(sorted.length / 2) - 1],
		sorted[Math.floor(sorted.length / 2)],
	];
	return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}
