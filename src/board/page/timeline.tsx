import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import {
	type FutureRuns,
	logLink,
	type Outcome,
	outcomeOf,
	pipelineLink,
	schedulesLink,
} from "../../team/snapshot";
import {
	clockTime,
	DAY,
	dayOf,
	HOUR,
	instantOfClock,
	lengthWords,
	many,
	shownClock,
	visible,
	weekday,
} from "./format";
import {
	type Filter,
	Line,
	lengthOf,
	nothing,
	OUTCOMES,
	Toolbar,
	useFiltered,
} from "./parts";
import { askFuture, type Data, embedded, setParams, useRoute } from "./store";
import { useWindowed } from "./table";

interface Bar {
	readonly from: number;
	readonly to: number;
	/** False if only the start is known. */
	readonly isWhole: boolean;
	readonly outcome: Outcome | "future" | "missed";
	readonly link: string;
}

/** One line of the timeline: a schedule, a pipeline that was started by hand, or a job of its own. */
interface Lane {
	readonly id: string;
	readonly name: string;
	readonly link: string;
	/** In the order of their starts. */
	readonly bars: readonly Bar[];
	/** Times at which two of its runs are under way. */
	readonly overlaps: readonly (readonly [from: number, to: number])[];
}

const ROW = 34;
const [TOP, TALL] = [6, 20];
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
function levelsOf(bars: readonly Bar[]): { levels: number[]; count: number } {
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
function lanesOf(
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

/** Outcomes in the legend; a file has only runs to come. */
const PAST: readonly Outcome[] =
	embedded === null ? ["good", "bad", "busy", "stopped"] : [];

const FILTERS: readonly Filter<Lane>[] = [
	{
		name: "show",
		label: "Show",
		options: [
			["", "all"],
			["bad", "with failures"],
			["missed", "with missed runs"],
			["overlap", "with overlaps"],
			["future", "with runs to come"],
		],
		passes: (lane, show) =>
			show === "overlap"
				? lane.overlaps.length > 0
				: count(lane, show as Bar["outcome"]) > 0,
	},
	{
		name: "order",
		label: "Sort by",
		options: [
			["", "first run"],
			["name", "name"],
			["runs", "most runs"],
			["bad", "most failures"],
			["overlap", "most overlaps"],
		],
	},
];

const count = (lane: Lane, outcome: Bar["outcome"]): number =>
	lane.bars.filter((bar) => bar.outcome === outcome).length;

/** What lanes are sorted by, and then by their names. */
const firstRun = ({ bars }: Lane): number => bars[0]?.from ?? 0;
const ORDERS: Readonly<Record<string, (lane: Lane) => number>> = {
	name: () => 0,
	runs: ({ bars }) => -bars.length,
	bad: (lane) => -count(lane, "bad"),
	overlap: ({ overlaps }) => -overlaps.length,
};

function sorted(lanes: readonly Lane[], order: string): Lane[] {
	const key = ORDERS[order] ?? firstRun;
	const byName = (a: Lane, b: Lane) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
	const keyed = lanes.map((lane) => [key(lane), lane] as const);
	return keyed.sort(([a, x], [b, y]) => a - b || byName(x, y)).map(([, lane]) => lane);
}

/** The window that the address names: a day, or a week from Monday on. */
function windowOf(params: URLSearchParams, now: number) {
	const isWeek =
		(params.get("range") ?? (embedded === null ? "day" : "week")) === "week";
	const named = Date.parse(params.get("day") ?? "");
	const clock = Number.isNaN(named) ? shownClock(now) : named;
	const midnight = Math.floor(clock / DAY) * DAY;
	const first =
		isWeek && embedded === null
			? midnight - ((Math.floor(midnight / DAY) + 3) % 7) * DAY
			: midnight;
	const days = isWeek ? 7 : 1;
	return {
		isWeek,
		first,
		days,
		from: instantOfClock(first),
		to: instantOfClock(first + days * DAY),
	};
}

export function Timeline({ data }: { data: Data }) {
	const { params } = useRoute();
	const { isWeek, first, days, from, to } = windowOf(params, data.now);
	const [future, setFuture] = useState<FutureRuns>();
	useEffect(() => {
		let isCurrent = true;
		const begin =
			embedded === null ? Math.max(from, Math.floor(data.now / 60_000) * 60_000) : from;
		if (begin >= to) setFuture(undefined);
		else
			askFuture(begin, to).then(
				(future) => isCurrent && setFuture(future),
				() => {},
			);
		return () => {
			isCurrent = false;
		};
	}, [from, to, data.lists.schedules]);
	const all = useMemo(
		() => lanesOf(data, future, from, to),
		[data.lists, future, from, to, Math.floor(data.now / 60_000)],
	);
	const bucket = isWeek ? 6 * HOUR : HOUR;
	const chosen =
		params.get("hour") === null ? undefined : from + Number(params.get("hour")) * HOUR;
	const filtered = useFiltered(all, ({ name }) => [name], FILTERS);
	const visibleLanes = useMemo(() => {
		const inHour = ({ bars }: Lane) =>
			chosen === undefined ||
			bars.some((bar) => bar.from < chosen + bucket && bar.to > chosen);
		return sorted(filtered.filter(inHour), params.get("order") ?? "");
	}, [filtered]);
	const move = (step: number) =>
		setParams({
			day: new Date(first + step * days * DAY).toISOString().slice(0, 10),
			hour: "",
		});
	const title = isWeek
		? `${dayOf(from)} to ${dayOf(to - 1)}`
		: `${weekday(from)} ${dayOf(from)}`;
	return (
		<>
			<div class="period">
				<button type="button" onClick={() => move(-1)} aria-label="Earlier">
					←
				</button>
				<h2>{title}</h2>
				<button type="button" onClick={() => move(1)} aria-label="Later">
					→
				</button>
				<button type="button" onClick={() => setParams({ day: "", hour: "" })}>
					Today
				</button>
				<span class="switch" role="group" aria-label="Range">
					{["day", "week"].map((range) => (
						<button
							type="button"
							key={range}
							aria-pressed={isWeek === (range === "week")}
							onClick={() => setParams({ range, hour: "" })}
						>
							{range}
						</button>
					))}
				</span>
			</div>
			<Toolbar
				what="line"
				shown={visibleLanes.length}
				all={all.length}
				filters={FILTERS}
			>
				<span class="legend" aria-hidden="true">
					{PAST.map((outcome) => (
						<span key={outcome}>
							<i class={outcome} /> {OUTCOMES[outcome].word}
						</span>
					))}
					{embedded === null && (
						<span>
							<i class="missed" /> {WORDS.missed}
						</span>
					)}
					<span>
						<i class="future" /> to come
					</span>
					<span>
						<i class="overlap" /> overlap
					</span>
				</span>
			</Toolbar>
			{future?.isTruncated && (
				<p class="note">There are too many runs to draw them all.</p>
			)}
			<Lanes
				lanes={visibleLanes}
				all={all}
				from={from}
				to={to}
				bucket={bucket}
				now={data.now}
				chosen={chosen}
			/>
			{visibleLanes.length === 0 && (
				<p class="empty">
					{nothing(
						data,
						"Nothing runs in this time.",
						"schedules",
						"pipelines",
						"jobs",
					)}
				</p>
			)}
		</>
	);
}

/** Starts in each part of the window, which show busy hours. */
function startsIn(
	lanes: readonly Lane[],
	from: number,
	to: number,
	bucket: number,
): number[] {
	const counts = new Array<number>(Math.ceil((to - from) / bucket)).fill(0);
	for (const { bars } of lanes) {
		for (const bar of bars) {
			const index = Math.floor((bar.from - from) / bucket);
			if (bar.outcome !== "missed" && bar.from >= from && index < counts.length)
				counts[index] = (counts[index] ?? 0) + 1;
		}
	}
	return counts;
}

function Lanes(props: {
	lanes: readonly Lane[];
	all: readonly Lane[];
	from: number;
	to: number;
	bucket: number;
	now: number;
	chosen: number | undefined;
}) {
	const { lanes, all, from, to, bucket, now, chosen } = props;
	const {
		ref,
		from: firstRow,
		to: lastRow,
		printing,
	} = useWindowed<HTMLUListElement>(lanes.length, ROW);
	const axis = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(600);
	useLayoutEffect(() => {
		const observer = new ResizeObserver(
			([entry]) => entry && setWidth(Math.round(entry.contentRect.width)),
		);
		if (axis.current) observer.observe(axis.current);
		return () => observer.disconnect();
	}, []);
	const xOf = (at: number) => Math.round(((at - from) / (to - from)) * width * 10) / 10;
	const counts = useMemo(
		() => startsIn(all, from, to, bucket),
		[all, from, to, bucket],
	);
	const most = Math.max(1, ...counts);
	const isWeek = bucket > HOUR;
	const labels = isWeek ? 7 : width < 500 ? 6 : 12;
	const grid = Array.from(
		{ length: labels },
		(_, index) => `M${Math.round((index * width) / labels) + 0.5} 0v${ROW}`,
	).join("");
	return (
		<div class="timeline">
			<div class="lane axis">
				<span class="dim">Starts per {isWeek ? "6 hours" : "hour"}</span>
				<div ref={axis}>
					<div class="hours">
						{counts.map((starts, index) => {
							const at = from + index * bucket;
							const label = `${isWeek ? `${weekday(at)} ` : ""}${clockTime(at)}, ${many(starts, "start")}`;
							return (
								<button
									type="button"
									key={at}
									title={label}
									aria-label={label}
									aria-pressed={chosen === at}
									onClick={() =>
										setParams({ hour: chosen === at ? "" : String((at - from) / HOUR) })
									}
								>
									<span style={{ height: `${Math.round((starts / most) * 100)}%` }} />
								</button>
							);
						})}
					</div>
					<div class="ticks" aria-hidden="true">
						{Array.from({ length: labels }, (_, index) => {
							const at = from + (index * (to - from)) / labels;
							return (
								<span key={at}>
									{isWeek ? `${weekday(at)} ${dayOf(at).slice(5)}` : clockTime(at)}
								</span>
							);
						})}
					</div>
				</div>
			</div>
			<ul
				class="lanes"
				ref={ref}
				style={printing ? {} : { height: `${lanes.length * ROW}px` }}
			>
				{lanes.slice(firstRow, lastRow).map((lane, index) => (
					<li
						class="lane"
						key={lane.id}
						style={printing ? {} : { top: `${(firstRow + index) * ROW}px` }}
					>
						<Line text={lane.name} link={lane.link} />
						<LaneBars lane={lane} width={width} xOf={xOf} now={now} grid={grid} />
					</li>
				))}
			</ul>
		</div>
	);
}

/** What is to come, and what should have been. */
const WORDS = { future: "to come", missed: "did not run" } as const;

function barWords({ from, to, isWhole, outcome }: Bar): string {
	const length = isWhole ? ` to ${clockTime(to)}, ${lengthWords(to - from)}` : "";
	const word =
		outcome === "future" || outcome === "missed"
			? WORDS[outcome]
			: OUTCOMES[outcome].word;
	return `${clockTime(from)}${length}, ${word}`;
}

/** Where the arrow keys lead from a run. */
function stepFrom(at: number, key: string, last: number): number | undefined {
	const steps: Partial<Record<string, number>> = {
		ArrowLeft: at - 1,
		ArrowRight: at + 1,
		Home: 0,
		End: last,
	};
	const next = steps[key];
	return next === undefined ? undefined : Math.max(0, Math.min(last, next));
}

/** The bars of a lane: one path for each outcome, however many runs there are. The pointer or the arrow keys choose a run. */
function LaneBars(props: {
	lane: Lane;
	width: number;
	xOf: (at: number) => number;
	now: number;
	grid: string;
}) {
	const { lane, width, xOf, now, grid } = props;
	const { bars } = lane;
	const [chosen, choose] = useState(-1);
	const paths: Partial<Record<string, string>> = {};
	const draw = (
		kind: string,
		from: number,
		to: number,
		top: number,
		height: number,
	) => {
		const x = Math.max(0, xOf(from));
		const wide = Math.max(3, Math.min(width, xOf(to)) - x);
		paths[kind] = `${paths[kind] ?? ""}M${x} ${top}h${wide}v${height}h${-wide}z`;
	};
	const { levels, count: rows } = levelsOf(bars);
	const tall = TALL / rows;
	for (const [index, { from, to, outcome }] of bars.entries()) {
		// Failures stand out without their colour, too.
		const more = outcome === "bad" ? 4 : 0;
		draw(outcome, from, to, TOP + (levels[index] ?? 0) * tall - more, tall + more);
	}
	for (const [from, to] of lane.overlaps) draw("overlap", from, to, TOP + TALL + 2, 3);
	const bar = bars[chosen];
	if (bar) draw("chosen", bar.from, bar.to, TOP + (levels[chosen] ?? 0) * tall, tall);
	const said = [
		many(bars.length - count(lane, "missed"), "run"),
		...(count(lane, "bad") > 0 ? [`${count(lane, "bad")} failed`] : []),
		...(count(lane, "missed") > 0 ? [`${count(lane, "missed")} ${WORDS.missed}`] : []),
		...(count(lane, "future") > 0 ? [`${count(lane, "future")} to come`] : []),
		...(lane.overlaps.length > 0 ? [many(lane.overlaps.length, "overlap")] : []),
	].join(", ");
	const newest = Math.max(
		0,
		bars.findLastIndex(({ outcome }) => outcome !== "future"),
	);
	const point = ({ offsetX: x }: MouseEvent) =>
		choose(
			bars.findLastIndex(
				({ from, to }) =>
					x >= xOf(from) - 2 && x <= Math.max(xOf(to), xOf(from) + 3) + 2,
			),
		);
	const press = (event: KeyboardEvent) => {
		const next = stepFrom(chosen, event.key, bars.length - 1);
		if (next === undefined) return;
		event.preventDefault();
		choose(next);
	};
	const tipAt = bar && Math.max(0, xOf(bar.from));
	const tipPlace =
		tipAt === undefined
			? {}
			: tipAt < width / 2
				? { left: `${tipAt}px` }
				: { right: `${width - tipAt}px` };
	return (
		<a
			class="bars"
			href={`#${(bar ?? lane).link}`}
			aria-label={`${visible(lane.name)}: ${bar ? barWords(bar) : said}`}
			aria-description="The arrow keys choose a run."
			onFocus={() => chosen < 0 && choose(newest)}
			onBlur={() => choose(-1)}
			onKeyDown={press}
			onMouseMove={point}
			onMouseLeave={() => choose(-1)}
			onClick={(event) => bar === undefined && event.preventDefault()}
		>
			<svg width={width} height={ROW} aria-hidden="true">
				<path class="grid" d={grid} />
				{Object.entries(paths).map(([kind, path]) => (
					<path key={kind} class={kind} d={path} />
				))}
				{xOf(now) >= 0 && xOf(now) <= width && (
					<path class="now" d={`M${xOf(now)} 0v${ROW}`} />
				)}
			</svg>
			{bar && (
				<span class="tip" role="status" style={tipPlace}>
					{barWords(bar)}
				</span>
			)}
		</a>
	);
}
