import { useMemo } from "preact/hooks";
import { outcomeOf } from "../snapshot";
import { lengthWords, shortTime } from "./format";
import type { Data } from "./store";

const MOST = 8;

interface Item {
	readonly id: string;
	readonly text: string;
	readonly link?: string;
	readonly value: string;
}

/** What runs, what comes next and how busy the clusters are. */
export function Now({ data }: { data: Data }) {
	const { lists, now, pipelineOfJob } = data;
	const running = useMemo(() => {
		const isBusy = ({ status, start }: { status: string; start: number | null }) =>
			start !== null && outcomeOf(status) === "busy";
		const pipelines = lists.pipelines.filter(isBusy).map((row) => ({ ...row, link: `#/pipeline/${row.id}` }));
		const jobs = lists.jobs
			.filter((row) => isBusy(row) && !pipelineOfJob.has(row.id))
			.map((row) => ({ ...row, schedule: null, link: `#/log/${row.id}` }));
		return [...pipelines, ...jobs].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
	}, [lists]);
	const coming = useMemo(
		() =>
			lists.schedules
				.filter(({ next }) => next !== null)
				.sort((a, b) => (a.next ?? 0) - (b.next ?? 0))
				.slice(0, MOST),
		[lists],
	);
	return (
		<aside class="now" aria-label="Now and next">
			<List
				title={`Running now (${running.length})`}
				empty="Nothing runs."
				items={running.slice(0, MOST).map(({ id, name, schedule, link, start }) => ({
					id,
					text: schedule ?? name,
					link,
					value: `for ${lengthWords(now - (start ?? now))}`,
				}))}
			/>
			<List
				title="Next runs"
				empty="No schedule has a next run."
				items={coming.map(({ id, name, next }) => ({
					id,
					text: name,
					link: `#/schedules?q=${encodeURIComponent(name)}`,
					value: shortTime(next ?? now, now),
				}))}
			/>
			<List
				title="Clusters"
				empty="The team has no clusters."
				items={lists.clusters.slice(0, MOST).map(({ id, name, isActive, busy, most }) => ({
					id,
					text: name,
					value: isActive ? `${busy ?? 0} of ${most ?? "?"} workers busy` : "inactive",
				}))}
			/>
		</aside>
	);
}

const List = ({ title, empty, items }: { title: string; empty: string; items: readonly Item[] }) => (
	<section>
		<h2>{title}</h2>
		{items.length === 0 && <p class="dim">{empty}</p>}
		<ul>
			{items.map(({ id, text, link, value }) => (
				<li key={id}>
					{link === undefined ? (
						<span class="line" title={text}>
							{text}
						</span>
					) : (
						<a class="line" href={link} title={text}>
							{text}
						</a>
					)}
					<span class="dim">{value}</span>
				</li>
			))}
		</ul>
	</section>
);
