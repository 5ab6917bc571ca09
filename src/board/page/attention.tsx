import { useMemo } from "preact/hooks";
import {
	ATTENTION_KINDS,
	type AttentionKind,
	type AttentionRow,
	logLink,
	outcomeOf,
	pipelineLink,
	RANKS,
	type RunRow,
	schedulesLink,
} from "../../team/snapshot";
import { lengthWords, many, shortTime } from "./format";
import { Copy, type Filter, Line, nothing } from "./parts";
import { type Data, useRoute } from "./store";
import { type Column, Table } from "./table";

const KINDS = Object.entries(ATTENTION_KINDS) as [AttentionKind, string][];

/** What to look at first; or one line that says that there is nothing. */
export function Attention({ data }: { data: Data }) {
	const { params } = useRoute();
	const { attention, schedules, jobs } = data.lists;
	const kind = params.get("kind");
	if (attention.length === 0) {
		const counts = `${many(schedules.length, "schedule")} and ${many(jobs.length, "job")}`;
		return (
			<>
				{data.notes.length === 0 ? (
					<p class="calm">
						<span aria-hidden="true">✓</span> Everything is all right: {counts}, and
						nothing needs attention.
					</p>
				) : (
					<p class="calm">Nothing needs attention in the data that could be read.</p>
				)}
				<Now data={data} />
			</>
		);
	}
	const counts = KINDS.map(([name, text]) => ({
		name,
		text,
		count: attention.filter((row) => row.kind === name).length,
	})).filter(({ count }) => count > 0);
	const kindFilter: Filter<AttentionRow> = {
		name: "kind",
		label: "Kind",
		options: [
			["", "all"],
			...counts.map(({ name, text, count }) => [name, `${text} (${count})`] as const),
		],
		passes: (row, name) => row.kind === name,
	};
	return (
		<div class="overview">
			<ul class="tiles">
				{counts.map(({ name, text, count }) => (
					<li key={name} class={attention.find((row) => row.kind === name)?.severity}>
						<a
							href={kind === name ? "#/attention" : `#/attention?kind=${name}`}
							aria-current={kind === name || undefined}
						>
							<b>{count.toLocaleString("en-US")}</b> {text}
						</a>
					</li>
				))}
			</ul>
			<Table
				label="What needs attention"
				what="finding"
				rows={attention}
				texts={({ text }) => [text]}
				filters={[kindFilter]}
				columns={columnsFor(data.now)}
				heights={[52, 132]}
				empty="Nothing needs attention."
			/>
			<Now data={data} />
		</div>
	);
}

const columnsFor = (now: number): Column<AttentionRow>[] => [
	{
		head: "Kind",
		width: "9.5rem",
		class: "lead",
		sort: ({ severity, kind }) => `${RANKS[severity]} ${kind}`,
		cell: ({ kind, severity }) => (
			<span class={`badge ${severity}`}>{ATTENTION_KINDS[kind]}</span>
		),
	},
	{
		head: "What",
		width: "minmax(16rem, 2.2fr)",
		class: "main",
		sort: ({ text }) => text,
		cell: ({ text, link }) => (
			<a class="clamp" href={`#${link}`} title={text}>
				{text}
			</a>
		),
	},
	{
		head: "When",
		width: "7rem",
		sort: ({ at }) => at,
		class: "lead",
		cell: ({ at }) => (at === null ? "" : shortTime(at, now)),
	},
	{
		head: "Command",
		width: "minmax(14rem, 1.2fr)",
		cell: ({ command }) => command !== null && <Copy command={command} />,
	},
];

const MOST = 8;

interface Item {
	readonly id: string;
	readonly text: string;
	readonly link?: string;
	readonly value: string;
}

/** What runs, what comes next and how busy the clusters are. */
function Now({ data }: { data: Data }) {
	const { lists, now, pipelineOfJob } = data;
	const running = useMemo(() => {
		const isBusy = ({ status, start }: RunRow) =>
			start !== null && outcomeOf(status) === "busy";
		const pipelines = lists.pipelines
			.filter(isBusy)
			.map((row) => ({ ...row, link: pipelineLink(row.id) }));
		const jobs = lists.jobs
			.filter((row) => isBusy(row) && !pipelineOfJob.has(row.id))
			.map((row) => ({ ...row, schedule: null, link: logLink(row.id) }));
		return [...pipelines, ...jobs].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
	}, [lists]);
	// They come in the order of their next runs.
	const coming = lists.schedules.filter(({ next }) => next !== null).slice(0, MOST);
	return (
		<aside class="now" aria-label="Now and next">
			<List
				title={`Running now (${running.length})`}
				empty={nothing(data, "Nothing runs.", "pipelines", "jobs")}
				items={running.slice(0, MOST).map(({ id, name, schedule, link, start }) => ({
					id,
					text: schedule ?? name,
					link,
					value: `for ${lengthWords(now - (start ?? now))}`,
				}))}
			/>
			<List
				title="Next runs"
				empty={nothing(data, "No schedule has a next run.", "schedules")}
				items={coming.map(({ id, name, next }) => ({
					id,
					text: name,
					link: schedulesLink(name),
					value: shortTime(next ?? now, now),
				}))}
			/>
			<List
				title={`Clusters (${lists.clusters.length})`}
				empty={nothing(data, "No cluster is known.", "clusters")}
				items={lists.clusters
					.slice(0, MOST)
					.map(({ id, name, isActive, busy, most }) => ({
						id,
						text: name,
						value: isActive ? workers(busy, most) : "inactive",
					}))}
			/>
		</aside>
	);
}

/** The documents promise neither number. */
function workers(busy: number | null, most: number | null): string {
	if (busy !== null) return `${busy} of ${most ?? "?"} workers busy`;
	return most === null ? "active" : `up to ${many(most, "worker")}`;
}

const List = ({
	title,
	empty,
	items,
}: {
	title: string;
	empty: string;
	items: readonly Item[];
}) => (
	<section>
		<h2>{title}</h2>
		{items.length === 0 && <p class="dim">{empty}</p>}
		<ul>
			{items.map(({ id, text, link, value }) => (
				<li key={id}>
					<Line text={text} link={link} />
					<span class="dim">{value}</span>
				</li>
			))}
		</ul>
	</section>
);
