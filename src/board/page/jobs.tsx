import { useMemo } from "preact/hooks";
import { type JobRow, type Outcome, outcomeOf, type PipelineRow } from "../snapshot";
import { dateTime, lengthWords, shortTime } from "./format";
import { matches, OUTCOME_WORDS, Status, Toolbar } from "./parts";
import { type Data, useRoute } from "./store";
import { type Column, Table } from "./table";

const FILTER_ORDER: readonly Outcome[] = ["bad", "busy", "waiting", "good", "stopped"];
const OUTCOMES = [
	["", "all"] as const,
	...FILTER_ORDER.map((outcome) => [outcome, OUTCOME_WORDS[outcome]] as const),
];

/** The name as a link, and below it what went wrong or, if nothing did, something else. */
const nameColumn = <Row extends JobRow | PipelineRow>(
	head: string,
	view: string,
	below: (row: Row) => string | null,
): Column<Row> => ({
	head,
	width: "minmax(11rem, 2fr)",
	class: "main",
	sort: ({ name }) => name,
	cell: (row) => (
		<>
			<a class="line" href={`#/${view}/${row.id}`} title={row.name}>
				{row.name}
			</a>
			<span class={row.error === null ? "line dim" : "line bad"} title={row.error ?? below(row) ?? ""}>
				{row.error ?? below(row)}
			</span>
		</>
	),
});

const statusColumn = <Row extends { status: string }>(): Column<Row> => ({
	head: "Status",
	width: "minmax(8rem, .5fr)",
	sort: ({ status }) => status,
	cell: ({ status }) => <Status status={status} />,
});

const whenColumn = <Row,>(head: string, now: number, timeOf: (row: Row) => number | null): Column<Row> => ({
	head,
	width: "minmax(7.5rem, .5fr)",
	sort: timeOf,
	cell: (row) => {
		const at = timeOf(row);
		return at === null ? "" : <span title={dateTime(at)}>{shortTime(at, now)}</span>;
	},
});

/** How long something took, or has taken so far. */
const lengthColumn = <Row extends { start: number | null; end: number | null; status: string }>(
	now: number,
): Column<Row> => {
	const lengthOf = ({ start, end, status }: Row): number | null => {
		if (start === null) return null;
		if (end !== null) return end - start;
		return outcomeOf(status) === "busy" ? now - start : null;
	};
	return {
		head: "Length",
		width: "minmax(6.5rem, .5fr)",
		sort: lengthOf,
		cell: (row) => {
			const length = lengthOf(row);
			return length === null ? "" : lengthWords(length);
		},
	};
};

export function Jobs({ data }: { data: Data }) {
	const { params } = useRoute();
	const { jobs } = data.lists;
	const [search = "", outcome] = [params.get("q") ?? "", params.get("outcome") ?? ""];
	const shown = useMemo(
		() =>
			jobs.filter(
				(row) =>
					(outcome === "" || outcomeOf(row.status) === outcome) &&
					matches(search, row.name, row.id, row.status, row.by, row.cluster, row.error),
			),
		[jobs, search, outcome],
	);
	const columns: Column<JobRow>[] = [
		nameColumn("Job", "log", ({ id }) => id),
		statusColumn(),
		whenColumn("Created", data.now, ({ created }) => created),
		lengthColumn(data.now),
		{
			head: "Pipeline",
			width: "minmax(8rem, 1fr)",
			sort: ({ id }) => data.pipelineOfJob.get(id)?.name ?? null,
			cell: ({ id }) => {
				const pipeline = data.pipelineOfJob.get(id);
				return (
					pipeline && (
						<a class="line quiet" href={`#/pipeline/${pipeline.id}`} title={pipeline.name}>
							{pipeline.schedule ?? pipeline.name}
						</a>
					)
				);
			},
		},
		{
			head: "By",
			width: "minmax(6rem, .8fr)",
			sort: ({ by }) => by,
			cell: ({ by, cluster }) => (
				<>
					<span class="line">{by}</span>
					<span class="line dim">{cluster}</span>
				</>
			),
		},
	];
	return (
		<>
			<Toolbar
				what="job"
				shown={shown.length}
				all={jobs.length}
				filters={[{ name: "outcome", label: "Outcome", options: OUTCOMES }]}
			/>
			<Table
				label="Jobs"
				rows={shown}
				columns={columns}
				heights={[52, 100]}
				order="-Created"
				empty={jobs.length === 0 ? "The team has no jobs." : "Nothing matches."}
			/>
		</>
	);
}

const KINDS = [
	["", "all"],
	["template", "pipelines with schedules"],
	["run", "runs of schedules"],
	["other", "started by hand"],
] as const;

const kindOf = ({ isTemplate, schedule }: PipelineRow): string =>
	isTemplate ? "template" : schedule === null ? "other" : "run";

export function Pipelines({ data }: { data: Data }) {
	const { params } = useRoute();
	const { pipelines } = data.lists;
	const [search = "", outcome, kind] = ["q", "outcome", "kind"].map((name) => params.get(name) ?? "");
	const shown = useMemo(
		() =>
			pipelines.filter(
				(row) =>
					(outcome === "" || outcomeOf(row.status) === outcome) &&
					(kind === "" || kindOf(row) === kind) &&
					matches(search, row.name, row.status, row.schedule, row.from, row.error),
			),
		[pipelines, search, outcome, kind],
	);
	const columns: Column<PipelineRow>[] = [
		nameColumn("Pipeline", "pipeline", ({ from }) => from),
		statusColumn(),
		whenColumn("Created", data.now, ({ start }) => start),
		lengthColumn(data.now),
		{
			head: "Schedule",
			width: "minmax(8rem, 1fr)",
			sort: ({ schedule }) => schedule,
			cell: ({ schedule }) =>
				schedule && (
					<a class="line quiet" href={`#/schedules?q=${encodeURIComponent(schedule)}`} title={schedule}>
						{schedule}
					</a>
				),
		},
		{
			head: "Jobs done",
			width: "minmax(6rem, .5fr)",
			sort: ({ steps }) => steps.length,
			cell: ({ steps }) =>
				`${steps.filter(({ status }) => outcomeOf(status) === "good").length} of ${steps.length}`,
		},
	];
	return (
		<>
			<Toolbar
				what="pipeline"
				shown={shown.length}
				all={pipelines.length}
				filters={[
					{ name: "outcome", label: "Outcome", options: OUTCOMES },
					{ name: "kind", label: "Kind", options: KINDS },
				]}
			/>
			<Table
				label="Pipelines"
				rows={shown}
				columns={columns}
				heights={[52, 100]}
				order="-Created"
				empty={pipelines.length === 0 ? "The team has no pipelines." : "Nothing matches."}
			/>
		</>
	);
}
