import { useEffect, useMemo, useState } from "preact/hooks";
import type { FutureRuns, Outcome } from "../../team/snapshot";
import { DAY, dayOf, HOUR, instantOfClock, shownClock, weekday } from "./format";
import { type Bar, count, type Lane, lanesOf } from "./lanes";
import { type Filter, nothing, OUTCOMES, Toolbar, useFiltered } from "./parts";
import { askFuture, type Data, embedded, setParams, useRoute } from "./store";
import { Lanes, WORDS } from "./timeline-lanes";

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
