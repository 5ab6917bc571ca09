import type { ScheduleRow } from "../snapshot";
import { dateTime, lengthWords, shortTime } from "./format";
import { STRIP_RUNS, Strip, stripWidth, useMedia } from "./parts";
import type { Data } from "./store";
import { type Column, type RowFilter, Table } from "./table";

const STATES = {
	active: "active",
	paused: "paused",
	never: "never runs again",
	unreadable: "cannot be read",
};

const STATE_FILTER: RowFilter<ScheduleRow> = {
	name: "state",
	label: "State",
	options: [["", "all"], ...Object.entries(STATES)],
	passes: (row, state) => row.state === state,
};
const MANAGER_FILTER: RowFilter<ScheduleRow> = {
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
	const wide = useMedia("(min-width: 1800px)");
	return (
		<Table
			label="Schedules"
			what="schedule"
			rows={data.lists.schedules}
			texts={(row) => [row.name, row.pipeline, row.words, row.cron, row.zone, row.managedBy, row.createdBy]}
			filters={data.stack === null ? [STATE_FILTER] : [STATE_FILTER, MANAGER_FILTER]}
			columns={columnsFor(data, wide ? 3 * STRIP_RUNS : STRIP_RUNS)}
			heights={[56, 120]}
			order="Next run"
			empty="The team has no schedules."
		/>
	);
}

const columnsFor = ({ now, runsOf, templates, stack }: Data, runs: number): Column<ScheduleRow>[] => [
	{
		head: "Schedule",
		width: "minmax(10rem, 1.3fr)",
		class: "main",
		sort: ({ name }) => name,
		cell: ({ name, pipeline }) => {
			const template = templates.get(pipeline ?? "");
			return (
				<>
					<a class="line" href={`#/timeline?range=week&q=${encodeURIComponent(name)}`} title={name}>
						{name}
					</a>
					{template === undefined ? (
						<span class="line dim">{pipeline ?? "pipeline not known"}</span>
					) : (
						<a class="line quiet" href={`#/pipeline/${template.id}`} title={`Pipeline ${pipeline}`}>
							{pipeline}
						</a>
					)}
				</>
			);
		},
	},
	{
		head: "Runs",
		width: "minmax(13rem, 2fr)",
		class: "words",
		sort: ({ words }) => words,
		cell: ({ words, cron, zone, state, why }) => (
			<>
				<span class="line" title={words}>
					{state === "unreadable" ? why : words}
				</span>
				<span class="line dim">{cron !== null && [<code key={cron}>{cron}</code>, ` ${zone}`]}</span>
			</>
		),
	},
	{
		head: "Next run",
		width: "8rem",
		sort: ({ next }) => next,
		cell: ({ next, state, why }) =>
			next === null ? (
				<span class={`line ${state === "paused" ? "odd" : "dim"}`} title={why ?? ""}>
					{STATES[state]}
				</span>
			) : (
				<>
					<span class="line" title={dateTime(next)}>
						{shortTime(next, now)}
					</span>
					<span class="line dim">{next > now ? `in ${lengthWords(next - now)}` : "due"}</span>
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
				<span class="line">{createdBy}</span>
			) : (
				<>
					<span class="line" title={managedBy ?? ""}>
						{managedBy ?? "not managed"}
					</span>
					<span class="line dim">{createdBy && `created by ${createdBy}`}</span>
				</>
			),
	},
];
