import { type StepName, stepTitles } from "./model";
import { findRow, floorOf, type Row } from "./statistics";

export interface Target {
	readonly title: string;
	readonly reached: string;
	readonly limit: string;
	readonly ok: boolean;
}

const againstFloor: readonly StepName[] = ["up", "no-op", "update", "refresh", "destroy"];
/** A few schedules: how long our part of the provider process takes to start. */
const againstIdle: readonly (readonly [step: StepName, limit: number])[] = [
	["refresh", 1.15],
	["destroy", 1.15],
	["update", 1.1],
];
const againstNaive: readonly StepName[] = ["up", "update", "destroy"];
const delayed: readonly StepName[] = ["refresh", "preview-refresh"];
const growing: readonly StepName[] = [...againstFloor, "preview", "preview-refresh"];

/** A growth is a quotient of quotients, each with its own noise: less than this is no difference. */
const growthNoise = 1.1;

/** The targets that these rows can answer; one that they cannot is left out, not passed. */
export function targetsOf(rows: readonly Row[]): Target[] {
	const normal = rows.filter(({ checkpoints }) => checkpoints);
	return [
		...floorTargets(normal),
		...idleTargets(normal),
		...refreshRequests(rows),
		...delayTargets(rows),
		...skippedCheckpoints(rows),
		...naiveTargets(normal),
		...growthTargets(rows),
		...memoryTarget(rows),
		...stateTargets(rows),
		...lookupTarget(rows),
	];
}

function atMost(title: string, reached: number, limit: number, unit = "", digits = 2): Target {
	const text = (value: number) => `${value.toFixed(digits)}${unit}`;
	return { title, reached: text(reached), limit: `at most ${text(limit)}`, ok: reached <= limit };
}

function ours(rows: readonly Row[], filter: Partial<Row>): Row[] {
	const wanted = Object.entries(filter) as [keyof Row, unknown][];
	return rows.filter((row) => row.variant === "ours" && wanted.every(([key, value]) => row[key] === value));
}

function floorTargets(rows: readonly Row[]): Target[] {
	return againstFloor.flatMap((step) =>
		ours(rows, { n: 1_000, delayMs: 0, step }).flatMap((row) => {
			const floor = floorOf(rows, row);
			if (floor === undefined) return [];
			const ratio = row.wallMs.median / floor.wallMs.median;
			return [atMost(`${stepTitles[step]} of 1,000: time of the native floor`, ratio, 1.15, " ×")];
		}),
	);
}

/** By the clock, and by CPU, which a busy machine changes less. */
function idleTargets(rows: readonly Row[]): Target[] {
	return againstIdle.flatMap(([step, limit]) =>
		ours(rows, { n: 10, delayMs: 0, step }).flatMap((row) => {
			const idle = findRow(rows, { variant: "idle", step, n: 10 });
			if (idle === undefined) return [];
			const title = `${stepTitles[step]} of 10: time of an idle dynamic provider`;
			const time = atMost(title, row.wallMs.median / idle.wallMs.median, limit, " ×");
			if (row.cpuMs === undefined || idle.cpuMs === undefined) return [time];
			return [time, atMost(`${title}, in CPU`, row.cpuMs / idle.cpuMs, limit, " ×")];
		}),
	);
}

function refreshRequests(rows: readonly Row[]): Target[] {
	const refreshes = ours(rows, { step: "refresh" });
	const [most] = refreshes.sort((a, b) => b.requests - a.requests);
	return most ? [atMost(`refresh of ${count(most.n)}: requests`, most.requests, 3, "", 0)] : [];
}

function delayTargets(rows: readonly Row[]): Target[] {
	return delayed.flatMap((step) =>
		ours(rows, { delayMs: 20, step }).flatMap((row) => {
			const { n, checkpoints } = row;
			const still = findRow(rows, { variant: "ours", step, n, checkpoints, delayMs: 0 });
			if (still === undefined) return [];
			const ratio = row.wallMs.median / still.wallMs.median;
			return [atMost(`${stepTitles[step]} of ${count(n)}: 20 ms a request against 0 ms`, ratio, 1.1, " ×")];
		}),
	);
}

function skippedCheckpoints(rows: readonly Row[]): Target[] {
	return ours(rows, { n: 1_000, delayMs: 0, step: "up", checkpoints: false }).flatMap((row) => {
		const noop = findRow(rows, {
			variant: "ours",
			step: "no-op",
			n: 1_000,
			delayMs: 0,
			checkpoints: false,
		});
		if (noop === undefined) return [];
		const ratio = row.wallMs.median / noop.wallMs.median;
		return [atMost("up of 1,000 without checkpoints: time of a no-op up", ratio, 1.3, " ×")];
	});
}

function naiveTargets(rows: readonly Row[]): Target[] {
	return againstNaive.flatMap((step) =>
		ours(rows, { n: 300, delayMs: 0, step }).flatMap((row) => {
			const naive = findRow(rows, { variant: "naive", step, n: 300, delayMs: 0 });
			if (naive === undefined) return [];
			const factor = naive.wallMs.median / row.wallMs.median;
			return [
				{
					title: `${stepTitles[step]} of 300: times faster than the naive form`,
					reached: `${factor.toFixed(1)} ×`,
					limit: "at least 6.0 ×",
					ok: factor >= 6,
				},
			];
		}),
	);
}

/** From each size to the next: how much slower ours gets, against how much slower the floor gets. */
function growthTargets(rows: readonly Row[]): Target[] {
	return [true, false].flatMap((checkpoints) =>
		growing.flatMap((step) => {
			const own = ours(rows, { step, delayMs: 0, checkpoints }).sort((a, b) => a.n - b.n);
			return own.slice(1).flatMap((larger, index) => {
				const smaller = own[index];
				return smaller ? growth(rows, smaller, larger) : [];
			});
		}),
	);
}

function growth(rows: readonly Row[], smaller: Row, larger: Row): Target[] {
	const floors = [floorOf(rows, smaller), floorOf(rows, larger)] as const;
	if (floors[0] === undefined || floors[1] === undefined) return [];
	const own = larger.wallMs.median / smaller.wallMs.median;
	const native = floors[1].wallMs.median / floors[0].wallMs.median;
	const skipped = larger.checkpoints ? "" : " without checkpoints";
	const title = `${stepTitles[larger.step]}${skipped} from ${count(smaller.n)} to ${count(larger.n)}: growth`;
	return [
		{
			title,
			reached: `${own.toFixed(2)} ×`,
			limit: `the floor's ${native.toFixed(2)} × (+10 % for noise)`,
			ok: own <= native * growthNoise,
		},
	];
}

function memoryTarget(rows: readonly Row[]): Target[] {
	const known = ours(rows, { n: 3_000 }).flatMap(({ memoryBytes }) => memoryBytes ?? []);
	if (known.length === 0) return [];
	const megabytes = Math.max(...known) / 1e6;
	return [
		{
			title: "provider memory at 3,000",
			reached: `${megabytes.toFixed(0)} MB`,
			limit: "under 250 MB",
			ok: megabytes < 250,
		},
	];
}

function stateTargets(rows: readonly Row[]): Target[] {
	return ours(rows, { step: "up", delayMs: 0 }).flatMap((row) => {
		const floor = floorOf(rows, row);
		return (["stateBytes", "bareStateBytes"] as const).flatMap((key) => {
			const [own, native] = [row[key], floor?.[key]];
			if (own === undefined || native === undefined) return [];
			const apart = key === "stateBytes" ? "" : ", stack traces apart";
			const title = `state a resource beyond the native floor, at ${count(row.n)}${apart}`;
			return [atMost(title, own - native, 200, " bytes", 0)];
		});
	});
}

function lookupTarget(rows: readonly Row[]): Target[] {
	return ours(rows, { step: "lookups" }).map(({ n, requests }) => ({
		title: `${count(n)} calls of one lookup: requests`,
		reached: String(requests),
		limit: "exactly 1",
		ok: requests === 1,
	}));
}

const count = (n: number): string => n.toLocaleString("en-US");
