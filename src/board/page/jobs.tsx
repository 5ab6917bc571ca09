import { type JobRow, type Outcome, outcomeOf, type PipelineRow } from "../snapshot";
import { dateTime, lengthWords, shortTime } from "./format";
import { lengthOf, OUTCOME_WORDS, Status } from "./parts";
import type { Data } from "./store";
import { type Column, type RowFilter, Table } from "./table";

const FILTER_ORDER: readonly Outcome[] = ["bad", "busy", "waiting", "good", "stopped"];
const OUTCOME_FILTER: RowFilter<JobRow | PipelineRow> = {
	name: "outcome",
	label: "Outcome",
	options: [["", "all"], ...FILTER_ORDER.map((outcome) => [outcome, OUTCOME_WORDS[outcome]] as const)],
	passes: ({ status }, outcome) => outcomeOf(status) === outcome,
};

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

const lengthColumn = <Row extends JobRow | PipelineRow>(now: number): Column<Row> => ({
	head: "Length",
	width: "minmax(6.5rem, .5fr)",
	sort: (row) => lengthOf(row, now),
	cell: (row) => {
		const length = lengthOf(row, now);
		return length === null ? "" : lengthWords(length);
	},
});

export function Jobs({ data }: { data: Data }) {
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
		<Table
			label="Jobs"
			what="job"
			rows={data.lists.jobs}
			texts={(row) => [row.name, row.id, row.status, row.by, row.cluster, row.error]}
			filters={[OUTCOME_FILTER]}
			columns={columns}
			heights={[52, 100]}
			order="-Created"
			empty="The team has no jobs."
		/>
	);
}

const kindOf = ({ isTemplate, schedule }: PipelineRow): string =>
	isTemplate ? "template" : schedule === null ? "other" : "run";

const KIND_FILTER: RowFilter<PipelineRow> = {
	name: "kind",
	label: "Kind",
	options: [
		["", "all"],
		["template", "pipelines with schedules"],
		["run", "runs of schedules"],
		["other", "started by hand"],
	],
	passes: (row, kind) => kindOf(row) === kind,
};

export function Pipelines({ data }: { data: Data }) {
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
		<Table
			label="Pipelines"
			what="pipeline"
			rows={data.lists.pipelines}
			texts={(row) => [row.name, row.status, row.schedule, row.from, row.error]}
			filters={[OUTCOME_FILTER, KIND_FILTER]}
			columns={columns}
			heights={[52, 100]}
			order="-Created"
			empty="The team has no pipelines."
		/>
	);
}
