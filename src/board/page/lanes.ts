import {
	type FutureRuns,
	logLink,
	type Outcome,
	outcomeOf,
	pipelineLink,
	schedulesLink,
} from "../../team/snapshot";
import { lengthOf } from "./parts";
import { type Data, embedded } from "./store";

export interface Bar {
	readonly from: number;
	readonly to: number;
	/** False if only the start is known. */
	readonly isWhole: boolean;
	readonly outcome: Outcome | "future" | "missed";
	readonly link: string;
}

/** One line of the timeline: a schedule, a pipeline that was started by hand, or a job of its own. */
export interface Lane {
	readonly id: string;
	readonly name: string;
	readonly link: string;
	/** In the order of their starts. */
	readonly bars: readonly Bar[];
	/** Times at which two of its runs are under way. */
	readonly overlaps: readonly (readonly [from: number, to: number])[];
}

/** A run whose length nobody knows is drawn this long. */
const UNKNOWN_LENGTH = 5 * 60_000;
/** Two runs that touch do not overlap. */
const LEAST_OVERLAP = 1_000;

/** Where two bars, in the order of their starts, have time in common. */
function overlapsOf(bars: readonly Bar[]): [number, number][] {
	const spans: [number, number][] = [];
	let end = Number.NEGATIVE_INFINITY;
	for (const { from, to } of bars) {
		const last = Math.min(end, to);
		if (last - from >= LEAST_OVERLAP) spans.push([from, last]);
		end = Math.max(end, to);
	}
	return spans;
}

/** Runs that overlap are drawn one below the other, in at most three levels. */
export function levelsOf(bars: readonly Bar[]): { levels: number[]; count: number } {
	const ends: number[] = [];
	const levels = bars.map(({ from, to }) => {
		const free = ends.findIndex((end) => end - from < LEAST_OVERLAP);
		const level = free >= 0 ? free : Math.min(ends.length, 2);
		ends[level] = to;
		return level;
	});
	return { levels, count: Math.max(1, ends.length) };
}

/** All lanes with something between two instants. */
export function lanesOf(
	data: Data,
	future: FutureRuns | undefined,
	from: number,
	to: number,
): Lane[] {
	const { now, lists } = data;
	const lanes = new Map<string, { name: string; link: string; bars: Bar[] }>();
	const add = (
		lane: { id: string; name: string; link: string },
		start: number,
		length: number | null,
		rest: Pick<Bar, "outcome" | "link">,
	) => {
		const bar = {
			from: start,
			to: start + (length ?? UNKNOWN_LENGTH),
			isWhole: length !== null,
			...rest,
		};
		if (bar.to < from || bar.from >= to) return;
		const laneBefore = lanes.get(lane.id) ?? { ...lane, bars: [] };
		lanes.set(lane.id, laneBefore);
		laneBefore.bars.push(bar);
	};
	const laneOf = (schedule: string) => ({
		id: `s ${schedule}`,
		name: schedule,
		link: schedulesLink(schedule),
	});
	for (const run of lists.pipelines) {
		const { id, name, schedule, status, start } = run;
		if (start === null || status === "PAUSED" || status === "PENDING") continue;
		const link = pipelineLink(id);
		const lane = schedule === null ? { id: `p ${name}`, name, link } : laneOf(schedule);
		add(lane, start, lengthOf(run, now), { outcome: outcomeOf(status), link });
	}
	for (const job of lists.jobs) {
		const { id, name, status, start } = job;
		if (start === null || data.pipelineOfJob.has(id)) continue;
		const link = logLink(id);
		add({ id: `j ${name}`, name, link }, start, lengthOf(job, now), {
			outcome: outcomeOf(status),
			link,
		});
	}
	for (const { id, name, usual } of lists.schedules) {
		const lane = laneOf(name);
		for (const minute of future?.runs[id] ?? []) {
			const start = (future?.from ?? 0) + minute * 60_000;
			if (start < now && embedded === null) continue;
			add(lane, start, usual, { outcome: "future", link: lane.link });
		}
	}
	const nameOf = new Map(lists.schedules.map(({ id, name }) => [`missed ${id}`, name]));
	for (const { id, kind, at, link } of lists.attention) {
		const name = nameOf.get(id);
		if (kind === "missed" && at !== null && name !== undefined)
			add(laneOf(name), at, null, { outcome: "missed", link });
	}
	return [...lanes].map(([id, lane]) => {
		lane.bars.sort((a, b) => a.from - b.from);
		return {
			id,
			...lane,
			overlaps: overlapsOf(lane.bars.filter(({ outcome }) => outcome !== "missed")),
		};
	});
}

export const count = (lane: Lane, outcome: Bar["outcome"]): number =>
	lane.bars.filter((bar) => bar.outcome === outcome).length;
