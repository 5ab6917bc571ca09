import { type Report, shellWord } from "../text/report";

/*
 * What the page is told: made by the board's server or by a command that writes a file, read by the page. Instants are
 * milliseconds since 1970. No row holds a query, a variable of an environment or a token.
 */

export const VIEWS = [
	"attention",
	"schedules",
	"timeline",
	"pipelines",
	"jobs",
	"report",
] as const;
export type View = (typeof VIEWS)[number];

/** How something stands, whatever the service calls it. */
export type Outcome = "good" | "bad" | "busy" | "waiting" | "stopped";

export interface ScheduleRow {
	readonly id: string;
	readonly name: string;
	/** Null until the service was asked for it: its list does not name it. */
	readonly pipeline: string | null;
	/** Null if the list of pipelines does not show it. */
	readonly pipelineId: string | null;
	readonly cron: string | null;
	/** When it runs, in plain words. */
	readonly words: string;
	readonly zone: string;
	readonly next: number | null;
	readonly state: "active" | "paused" | "never" | "unreadable";
	/** Why it does not run; null if it does. */
	readonly why: string | null;
	/** `stack/resource` in the project's stack; null if that does not manage it, or there is no project. */
	readonly managedBy: string | null;
	readonly createdBy: string | null;
	/** The median length of its pipeline's finished runs. */
	readonly usual: number | null;
}

/** A job of a pipeline, as the graph draws it. */
export interface StepRow {
	/** Null for one that was not created yet. */
	readonly job: string | null;
	readonly name: string;
	readonly status: string;
	/** Places in the list of steps. */
	readonly after: readonly number[];
}

/** Something that runs. */
export interface RunRow {
	readonly id: string;
	readonly name: string;
	readonly status: string;
	readonly start: number | null;
	readonly end: number | null;
	readonly error: string | null;
}

/** A pipeline, or one run that a schedule made of it. */
export interface PipelineRow extends RunRow {
	readonly isTemplate: boolean;
	/** The schedule that made it. */
	readonly schedule: string | null;
	readonly from: string | null;
	readonly steps: readonly StepRow[];
}

export interface JobRow extends RunRow {
	readonly created: number | null;
	readonly by: string | null;
	readonly cluster: string | null;
}

export interface ClusterRow {
	readonly id: string;
	readonly name: string;
	readonly isActive: boolean;
	readonly busy: number | null;
	readonly most: number | null;
}

export const ATTENTION_KINDS = {
	failed: "Failed",
	recovered: "Recovered",
	slow: "Running long",
	missed: "Did not run",
	paused: "Paused",
	duplicate: "Duplicate",
	drift: "Drift",
	unmanaged: "Unmanaged",
	never: "No next run",
} as const;
export type AttentionKind = keyof typeof ATTENTION_KINDS;

/** One thing to look at: a sentence, where to look, and the command that helps if there is one. */
export interface AttentionRow {
	readonly id: string;
	readonly kind: AttentionKind;
	readonly severity: "bad" | "odd" | "info";
	readonly text: string;
	/** When it happened. */
	readonly at: number | null;
	readonly link: string;
	readonly command: string | null;
}

/** Addresses of views, without their `#`. */
export const schedulesLink = (search: string): string =>
	`/schedules?q=${encodeURIComponent(search)}`;
export const pipelinesLink = (search: string): string =>
	`/pipelines?q=${encodeURIComponent(search)}`;
export const jobsLink = (search: string): string =>
	`/jobs?q=${encodeURIComponent(search)}`;
export const pipelineLink = (id: string): string =>
	`/pipeline/${encodeURIComponent(id)}`;
export const logLink = (job: string): string => `/log/${encodeURIComponent(job)}`;

export const RANKS = { bad: 0, odd: 1, info: 2 } as const;

export interface Rows {
	readonly schedules: readonly ScheduleRow[];
	readonly pipelines: readonly PipelineRow[];
	readonly jobs: readonly JobRow[];
	readonly clusters: readonly ClusterRow[];
	readonly attention: readonly AttentionRow[];
}
export type TableName = keyof Rows;
export const TABLES: readonly TableName[] = [
	"schedules",
	"pipelines",
	"jobs",
	"clusters",
	"attention",
];

/** What the board was started with, and its user's other commands need, too. */
export interface Typing {
	/** Stands before a command, as `npx` does. */
	readonly runner?: string | undefined;
	readonly team?: string | undefined;
	readonly stack?: string | undefined;
}

/** A command as the board's user types it: without its options it could work in another team than the page shows. */
export function asTyped(command: string, { runner, team, stack }: Typing = {}): string {
	const [program, name] = command.split(" ");
	if (program !== "pulumi-datachain") return command;
	// `drift` names its stack itself, and `export` would write to one.
	const options = [
		team === undefined || name === "drift" ? [] : `--team ${shellWord(team)}`,
		stack === undefined || name === "drift" || name === "export"
			? []
			: `--stack ${shellWord(stack)}`,
	];
	return [runner ?? [], command, options].flat(2).join(" ");
}

/** What is the same in every answer. */
export interface Facts {
	readonly team: string;
	readonly typing?: Typing | undefined;
	readonly service: string;
	/** The Pulumi stack of the folder, if there is one. */
	readonly stack: string | null;
	/** By the clock of the service, as far as it is known. */
	readonly now: number;
	/** When the service last told all of this. */
	readonly asOf: number;
	/** How often it is asked, in milliseconds; 0 for a file. */
	readonly every: number;
	/** Why there is nothing newer; null if the last reading succeeded. */
	readonly problem: string | null;
	/** What could not be found out. */
	readonly notes: readonly string[];
	/** Lists that could not be read: that they are empty says nothing. */
	readonly unread: readonly TableName[];
}

/** What is known before anything was read. */
export const NO_FACTS: Facts = {
	team: "",
	service: "",
	stack: null,
	now: 0,
	asOf: 0,
	every: 0,
	problem: null,
	notes: [],
	unread: [],
};

/** Of a request for data: the key of the page's address. */
export const KEY_HEADER = "x-board-key";

/** All tables, or those that changed since an earlier answer. */
export interface Answer extends Facts {
	readonly revision: string;
	readonly rows: Partial<Rows>;
}

/** Future runs: minutes after `from`, by the id of the schedule. */
export interface FutureRuns {
	readonly from: number;
	readonly to: number;
	readonly runs: Readonly<Record<string, readonly number[]>>;
	/** True if there are too many to send. */
	readonly isTruncated: boolean;
}

/** Part of a log, from line `from` on. */
export interface LogPart {
	readonly from: number;
	readonly lines: readonly string[];
	readonly status: string;
	readonly isComplete: boolean;
	readonly problem: string | null;
}

/** What a file holds in place of a server behind it. */
export interface Embedded {
	/** Views that have something to show; the file opens with the first. */
	readonly views: readonly View[];
	/** Of the view of the report. */
	readonly title: string;
	/** By whose clocks days and hours are shown at first. */
	readonly zone: string;
	readonly answer: Answer;
	readonly future: FutureRuns | null;
	readonly report: Report | null;
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
	COMPLETE: "good",
	COMPLETED: "good",
	TASK: "good",
	FAILED: "bad",
	CANCELED: "stopped",
	RUNNING: "busy",
	INIT: "busy",
	CANCELING: "busy",
};

export const outcomeOf = (status: string): Outcome =>
	OUTCOMES[status.toUpperCase()] ?? "waiting";
