import { useMemo } from "preact/hooks";
import { ATTENTION_KINDS, type AttentionKind, type AttentionRow } from "../snapshot";
import { many, shortTime } from "./format";
import { Now } from "./now";
import { Copy, matches, Toolbar } from "./parts";
import { useRoute } from "./route";
import type { Data } from "./store";
import { type Column, Table } from "./table";

const KINDS = Object.entries(ATTENTION_KINDS) as [AttentionKind, string][];
const RANKS = { bad: 0, odd: 1, info: 2 };

/** What to look at first; or one line that says that there is nothing. */
export function Attention({ data }: { data: Data }) {
	const { params } = useRoute();
	const { attention, schedules, jobs } = data.lists;
	const kind = params.get("kind") ?? "";
	const search = params.get("q") ?? "";
	const shown = useMemo(
		() => attention.filter((row) => (kind === "" || row.kind === kind) && matches(search, row.text)),
		[attention, kind, search],
	);
	if (attention.length === 0) {
		return (
			<>
				<p class="calm">
					<span aria-hidden="true">✓</span> Everything is all right: {many(schedules.length, "schedule")} and{" "}
					{many(jobs.length, "job")}, and nothing needs a look.
				</p>
				<Now data={data} />
			</>
		);
	}
	const counts = KINDS.map(([name, text]) => ({
		name,
		text,
		count: attention.filter((row) => row.kind === name).length,
	}));
	const filters = [
		{
			name: "kind",
			label: "Kind",
			options: [
				["", "all"] as const,
				...counts
					.filter(({ count }) => count > 0)
					.map(({ name, text, count }) => [name, `${text} (${count})`] as const),
			],
		},
	];
	return (
		<div class="overview">
			<ul class="tiles">
				{counts
					.filter(({ count }) => count > 0)
					.map(({ name, text, count }) => (
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
			<Toolbar what="finding" shown={shown.length} all={attention.length} filters={filters} />
			<Table
				label="What needs attention"
				rows={shown}
				columns={columnsFor(data.now)}
				heights={[52, 132]}
				empty="Nothing matches."
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
		cell: ({ kind, severity }) => <span class={`badge ${severity}`}>{ATTENTION_KINDS[kind]}</span>,
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
