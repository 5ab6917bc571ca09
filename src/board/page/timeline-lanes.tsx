import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { clockTime, dayOf, HOUR, lengthWords, many, visible, weekday } from "./format";
import { type Bar, count, type Lane, levelsOf } from "./lanes";
import { Line, OUTCOMES } from "./parts";
import { setParams } from "./store";
import { useWindowed } from "./table";

const ROW = 34;
const [TOP, TALL] = [6, 20];
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

export function Lanes(props: {
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
export const WORDS = { future: "to come", missed: "did not run" } as const;

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
