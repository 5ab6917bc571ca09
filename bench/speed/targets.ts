import { type Sample, type StepName, stepTitles, type VariantName } from "./model";

/** One line of the table: the same step of the same variant, over all repetitions. */
export interface Row extends Omit<Sample, "repetition" | "wallMs"> {
	readonly repetitions: number;
	readonly wallMs: { readonly median: number; readonly min: number; readonly max: number };
	/** The most of all repetitions, as is the memory: a limit must hold every time. */
	readonly requests: number;
}

export interface Target {
	readonly title: string;
	readonly reached: string;
	readonly limit: string;
	readonly ok: boolean;
}

/** The floor makes no request, so one measurement of it stands beside every delay. */
export const floorOf = (rows: readonly Row[], { step, n, checkpoints }: Row): Row | undefined =>
	find(rows, "floor", { step, n, checkpoints });

function find(rows: readonly Row[], variant: VariantName, filter: Partial<Row>): Row | undefined {
	const wanted = Object.entries(filter) as [keyof Row, unknown][];
	return rows.find((row) => row.variant === variant && wanted.every(([key, value]) => row[key] === value));
}

const againstFloor: readonly StepName[] = ["up", "no-op", "update", "refresh", "destroy"];
/** A few schedules: how long our part of the provider process takes to start. */
const againstIdle: readonly (readonly [step: StepName, limit: number])[] = [
	["refresh", 1.15],
	["destroy", 1.15],
	["update", 1.1],
];
const delayed: readonly StepName[] = ["refresh", "preview-refresh"];
const growing: readonly StepName[] = [...againstFloor, "preview", "preview-refresh"];

/** A growth is a quotient of quotients, each with its own noise: less than this is no difference. */
const growthNoise = 1.1;

const count = (n: number): string => n.toLocaleString("en-US");
const quotient = (one: number | undefined, other: number | undefined): number | undefined =>
	one === undefined || other === undefined ? undefined : one / other;
/** How much longer one takes than the other. */
const ratio = (one: Row | undefined, other: Row | undefined): number | undefined =>
	quotient(one?.wallMs.median, other?.wallMs.median);

/** A target that these rows cannot answer is left out, not passed. */
function atMost(
	title: string,
	reached: number | undefined,
	limit: number,
	unit = " ×",
	digits = 2,
): Target[] {
	if (reached === undefined) return [];
	const text = (value: number) => `${value.toFixed(digits)}${unit}`;
	return [{ title, reached: text(reached), limit: `at most ${text(limit)}`, ok: reached <= limit }];
}

/** The targets that these rows can answer. */
export function targetsOf(rows: readonly Row[]): Target[] {
	const ours = rows.filter(({ variant }) => variant === "ours");
	const still = ours.filter(({ delayMs }) => delayMs === 0);
	/** With checkpoints and without a delay, as most stacks are. */
	const usual = (step: StepName, n: number, variant: VariantName = "ours") =>
		find(rows, variant, { step, n, checkpoints: true, ...(variant === "ours" && { delayMs: 0 }) });
	const skipping = (step: StepName) => find(still, "ours", { step, n: 1_000, checkpoints: false });
	return [
		...againstFloor.flatMap((step) => {
			const reached = ratio(usual(step, 1_000), usual(step, 1_000, "floor"));
			return atMost(`${stepTitles[step]} of 1,000: time of the native floor`, reached, 1.15);
		}),
		...againstIdle.flatMap(([step, limit]) => {
			const [own, idle] = [usual(step, 10), usual(step, 10, "idle")];
			const title = `${stepTitles[step]} of 10: time of an idle dynamic provider`;
			// By the clock, and by CPU, which a busy machine changes less.
			const cpu = quotient(own?.cpuMs, idle?.cpuMs);
			return [...atMost(title, ratio(own, idle), limit), ...atMost(`${title}, in CPU`, cpu, limit)];
		}),
		...ours
			.filter(({ step }) => step === "refresh")
			.sort((a, b) => b.requests - a.requests)
			.slice(0, 1)
			.flatMap(({ n, requests }) => atMost(`refresh of ${count(n)}: requests`, requests, 3, "", 0)),
		...ours
			.filter(({ step, delayMs }) => delayMs === 20 && delayed.includes(step))
			.flatMap((row) => {
				const { step, n, checkpoints } = row;
				const reached = ratio(row, find(still, "ours", { step, n, checkpoints }));
				return atMost(`${stepTitles[step]} of ${count(n)}: 20 ms a request against 0 ms`, reached, 1.1);
			}),
		...atMost(
			"up of 1,000 without checkpoints: time of a no-op up",
			ratio(skipping("up"), skipping("no-op")),
			1.3,
		),
		...[true, false].flatMap((checkpoints) =>
			growing.flatMap((step) =>
				growths(
					rows,
					still.filter((row) => row.step === step && row.checkpoints === checkpoints),
				),
			),
		),
		...atMost("provider memory at 3,000", megabytesAt(ours, 3_000), 250, " MB", 0),
		...still.filter(({ step }) => step === "up").flatMap((row) => stateTargets(row, floorOf(rows, row))),
	];
}

/** From each size to the next: how much slower ours gets, against how much slower the floor gets. */
function growths(rows: readonly Row[], own: readonly Row[]): Target[] {
	const sizes = [...own].sort((a, b) => a.n - b.n);
	return sizes.slice(1).flatMap((larger, index) => {
		const smaller = sizes[index];
		const native = smaller && ratio(floorOf(rows, larger), floorOf(rows, smaller));
		if (smaller === undefined || native === undefined) return [];
		const skipped = larger.checkpoints ? "" : " without checkpoints";
		const title = `${stepTitles[larger.step]}${skipped} from ${count(smaller.n)} to ${count(larger.n)}: growth beyond the floor's`;
		return atMost(title, quotient(ratio(larger, smaller), native), growthNoise);
	});
}

function megabytesAt(ours: readonly Row[], n: number): number | undefined {
	const known = ours.flatMap(({ n: size, memoryBytes = 0 }) => (size === n ? [memoryBytes / 1e6] : []));
	return known.some((size) => size > 0) ? Math.max(...known) : undefined;
}

function stateTargets(row: Row, floor: Row | undefined): Target[] {
	return (["stateBytes", "bareStateBytes"] as const).flatMap((key) => {
		const [own, native] = [row[key], floor?.[key]];
		const apart = key === "stateBytes" ? "" : ", stack traces apart";
		const beyond = own === undefined || native === undefined ? undefined : own - native;
		const title = `state a resource beyond the native floor, at ${count(row.n)}${apart}`;
		return atMost(title, beyond, 200, " bytes", 0);
	});
}
