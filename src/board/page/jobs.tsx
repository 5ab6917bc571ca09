import {
	type JobRow,
	logLink,
	type Outcome,
	outcomeOf,
	type PipelineRow,
	pipelineLink,
	type RunRow,
	schedulesLink,
} from "../../team/snapshot";
import { dateTime, lengthWords, shortTime } from "./format";
import { type Filter, Line, lengthOf, nothing, OUTCOMES, Status } from "./parts";
import type { Data } from "./store";
import { type Column, Table } from "./table";

const FILTER_ORDER: readonly Outcome[] = ["bad", "busy", "waiting", "good", "stopped"];
const OUTCOME_FILTER: Filter<RunRow> = {
	name: "outcome",
	label: "Outcome",
	options: [
		["", "all"],
		...FILTER_ORDER.map((outcome) => [outcome, OUTCOMES[outcome].word] as const),
	],
	passes: ({ status }, outcome) => outcomeOf(status) === outcome,
};

/** The name as a link, and below it what went wrong or, if nothing did, something else. */
const nameColumn = <Row extends RunRow>(
	head: string,
	linkOf: (id: string) => string,
	below: (row: Row) => string | null,
): Column<Row> => ({
	head,
	width: "minmax(11rem, 2fr)",
	class: "main",
	sort: ({ name }) => name,
	cell: (row) => (
		<>
			<Line text={row.name} link={linkOf(row.id)} />
			<Line text={row.error ?? below(row)} kind={row.error === null ? "dim" : "bad"} />
		</>
	),
});

const statusColumn = <Row extends RunRow>(): Column<Row> => ({
	head: "Status",
	width: "minmax(8rem, .5fr)",
	sort: ({ status }) => status,
	cell: ({ status }) => <Status status={status} />,
});

const whenColumn = <Row,>(
	head: string,
	now: number,
	timeOf: (row: Row) => number | null,
): Column<Row> => ({
	head,
	width: "minmax(7.5rem, .5fr)",
	sort: timeOf,
	cell: (row) => {
		const at = timeOf(row);
		return at === null ? "" : <span title={dateTime(at)}>{shortTime(at, now)}</span>;
	},
});

const lengthColumn = <Row extends RunRow>(now: number): Column<Row> => ({
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
		nameColumn("Job", logLink, ({ id }) => id),
		statusColumn(),
		whenColumn("Created", data.now, ({ created }) => created),
		lengthColumn(data.now),
		{
			head: "Pipeline",
			width: "minmax(8rem, 1fr)",
			sort: ({ id }) => data.pipelineOfJob.get(id)?.name ?? null,
			cell: ({ id }) => {
				const pipeline = data.pipelineOfJob.get(id);
				if (pipeline === undefined) return undefined;
				const { name, schedule } = pipeline;
				return (
					<Line
						text={schedule ?? name}
						link={pipelineLink(pipeline.id)}
						kind="quiet"
						title={name}
					/>
				);
			},
		},
		{
			head: "By",
			width: "minmax(6rem, .8fr)",
			sort: ({ by }) => by,
			cell: ({ by, cluster }) => (
				<>
					<Line text={by} />
					<Line text={cluster} kind="dim" />
				</>
			),
		},
	];
	return (
		<Table
			label="Jobs"
			what="job"
			rows={data.lists.jobs}
			empty={nothing(data, "The team has no jobs.", "jobs")}
			texts={(row) => [row.name, row.id, row.status, row.by, row.cluster, row.error]}
			filters={[OUTCOME_FILTER]}
			columns={columns}
			heights={[52, 100]}
			order="-Created"
		/>
	);
}

const kindOf = ({ isTemplate, schedule }: PipelineRow): string =>
	isTemplate ? "template" : schedule === null ? "other" : "run";

const KIND_FILTER: Filter<PipelineRow> = {
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
		nameColumn("Pipeline", pipelineLink, ({ from }) => from),
		statusColumn(),
		whenColumn("Created", data.now, ({ start }) => start),
		lengthColumn(data.now),
		{
			head: "Schedule",
			width: "minmax(8rem, 1fr)",
			sort: ({ schedule }) => schedule,
			cell: ({ schedule }) =>
				schedule && (
					<Line text={schedule} link={schedulesLink(schedule)} kind="quiet" />
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
			empty={nothing(data, "The team has no pipelines.", "pipelines")}
			texts={(row) => [row.name, row.status, row.schedule, row.from, row.error]}
			filters={[OUTCOME_FILTER, KIND_FILTER]}
			columns={columns}
			heights={[52, 100]}
			order="-Created"
		/>
	);
}
