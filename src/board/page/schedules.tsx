import { pipelineLink, type ScheduleRow } from "../../team/snapshot";
import { dateTime, lengthWords, shortTime } from "./format";
import {
	type Filter,
	Line,
	nothing,
	STRIP_RUNS,
	Strip,
	stripWidth,
	useWide,
} from "./parts";
import type { Data } from "./store";
import { type Column, Table } from "./table";

const STATES = {
	active: "active",
	paused: "paused",
	never: "never runs again",
	unreadable: "cannot be read",
};

const STATE_FILTER: Filter<ScheduleRow> = {
	name: "state",
	label: "State",
	options: [["", "all"], ...Object.entries(STATES)],
	passes: (row, state) => row.state === state,
};
const MANAGER_FILTER: Filter<ScheduleRow> = {
	name: "by",
	label: "Managed",
	options: [
		["", "all"],
		["stack", "by the stack"],
		["other", "by nobody"],
	],
	passes: ({ managedBy }, manager) => (manager === "stack") === (managedBy !== null),
};

export function Schedules({ data }: { data: Data }) {
	const wide = useWide();
	return (
		<Table
			label="Schedules"
			what="schedule"
			rows={data.lists.schedules}
			empty={nothing(data, "The team has no schedules.", "schedules")}
			texts={(row) => [
				row.name,
				row.pipeline,
				row.words,
				row.cron,
				row.zone,
				row.managedBy,
				row.createdBy,
			]}
			filters={data.stack === null ? [STATE_FILTER] : [STATE_FILTER, MANAGER_FILTER]}
			columns={columnsFor(data, wide ? 3 * STRIP_RUNS : STRIP_RUNS)}
			heights={[56, 120]}
			order="Next run"
		/>
	);
}

const columnsFor = (
	{ now, runsOf, stack }: Data,
	runs: number,
): Column<ScheduleRow>[] => [
	{
		head: "Schedule",
		width: "minmax(10rem, 1.3fr)",
		class: "main",
		sort: ({ name }) => name,
		cell: ({ name, pipeline, pipelineId }) => (
			<>
				<Line text={name} link={`/timeline?range=week&q=${encodeURIComponent(name)}`} />
				{pipelineId === null ? (
					<Line text={pipeline ?? "pipeline not known"} kind="dim" />
				) : (
					<Line
						text={pipeline}
						link={pipelineLink(pipelineId)}
						kind="quiet"
						title={`Pipeline ${pipeline}`}
					/>
				)}
			</>
		),
	},
	{
		head: "Runs",
		width: "minmax(13rem, 2fr)",
		class: "words",
		sort: ({ words }) => words,
		cell: ({ words, cron, zone, state, why }) => (
			<>
				<Line text={state === "unreadable" ? why : words} title={words} />
				<span class="line dim">
					{cron !== null && [<code key={cron}>{cron}</code>, ` ${zone}`]}
				</span>
			</>
		),
	},
	{
		head: "Next run",
		width: "8rem",
		sort: ({ next }) => next,
		cell: ({ next, state, why }) =>
			next === null ? (
				<Line
					text={STATES[state]}
					kind={state === "paused" ? "odd" : "dim"}
					title={why ?? ""}
				/>
			) : (
				<>
					<Line text={shortTime(next, now)} title={dateTime(next)} />
					<Line
						text={next > now ? `in ${lengthWords(next - now)}` : "due"}
						kind="dim"
					/>
				</>
			),
	},
	{
		head: "Last runs",
		width: `${stripWidth(runs)}px`,
		class: "strip-cell",
		sort: ({ name }) => runsOf.get(name)?.[0]?.start ?? null,
		cell: ({ name }) => <Strip runs={runsOf.get(name) ?? []} now={now} most={runs} />,
	},
	{
		head: stack === null ? "Created by" : "Managed by",
		width: "minmax(7rem, .8fr)",
		sort: ({ managedBy, createdBy }) => managedBy ?? createdBy,
		cell: ({ managedBy, createdBy }) =>
			stack === null ? (
				<Line text={createdBy} />
			) : (
				<>
					<Line text={managedBy ?? "not managed"} />
					<Line text={createdBy && `created by ${createdBy}`} kind="dim" />
				</>
			),
	},
];
