import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { boardAtRoot, rootPageUrl } from "../../src/board/root-page";
import { isValidCron, parseCron, runsOf } from "../../src/cron";
import {
	type LocalServer,
	manualClock,
	type ServerOptions,
	startServer,
} from "../../src/server";
import {
	emptyState,
	emptyTeam,
	newCluster,
	newJob,
	newPipeline,
	newSchedule,
	newUser,
	type PipelineRecord,
	type TeamState,
} from "../../src/server/state";
import { formatInstant } from "../../src/text/instant";
import { tempFolder } from "../../tools/process/temp-folder";

let made = 0;
/** The same in every run. */
const nextUuid = (): string => {
	made += 1;
	return `00000000-0000-4000-8000-${String(made).padStart(12, "0")}`;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

interface Story {
	readonly name: string;
	/** It ran at these times in the last two weeks, too. */
	readonly cron: string | null;
	readonly pipeline: string;
	readonly steps: readonly string[];
	/** Minutes that a run takes. */
	readonly minutes: number;
	readonly by?: string;
	readonly paused?: boolean;
	/** Whether the run of that many days ago failed, or never happened. */
	readonly failed?: (daysAgo: number, hour: number) => boolean;
	readonly skipped?: (daysAgo: number) => boolean;
}

const story = (
	name: string,
	cron: string | null,
	pipeline: string,
	steps: string,
	minutes: number,
	more: Partial<Story> = {},
): Story => ({ name, cron, pipeline, steps: steps.split(" "), minutes, ...more });
const never = { skipped: () => true };

const STORIES: readonly Story[] = [
	story("nightly-images", "30 2 * * *", "images", "raw clean embed final", 42, {
		failed: (ago) => ago === 0 || ago === 5,
	}),
	story("hourly-events", "5 * * * *", "events", "ingest dedupe", 9, {
		failed: (ago, hour) => ago === 3 && hour % 7 === 0,
	}),
	story("embeddings", "0 */2 * * *", "embeddings", "chunk embed index", 150),
	story("daily-report", "0 6 * * *", "report", "collect render", 14, {
		skipped: (ago) => ago <= 1,
	}),
	story(
		"training-sample",
		"15 1 * * 1-5",
		"training",
		"sample split label review publish",
		95,
	),
	story("thumbnails", "30 */3 * * *", "thumbnails", "resize", 4),
	story("thumbnails", "0 4 * * *", "thumbnails", "resize", 4, {
		...never,
		by: "ops-oncall",
	}),
	story("weekly-audit", "0 5 * * 0", "audit", "scan compare", 31, { paused: true }),
	story("audit-by-hand", "0 17 * * 5", "audit", "scan compare", 31, {
		...never,
		paused: true,
	}),
	story("migration-once", null, "migration", "copy", 55),
	story("leap-check", "0 0 30 2 *", "report", "collect render", 14),
	story(
		"<b onclick=alert(1)>quality</b>",
		"45 3 * * *",
		"quality",
		"<i>check</i> score",
		22,
	),
];

const runsIn = (cron: string | null, from: number, to: number): number[] =>
	cron !== null && isValidCron(cron) ? [...runsOf(parseCron(cron), from, to)] : [];
const midnight = (at: number): number => Math.floor(at / DAY) * DAY;

/** A team with two weeks of history: failures, late and missed runs, overlaps, a duplicate, a paused pipeline. */
export function boardTeam(now: number, lines = 400): TeamState {
	const team = emptyTeam("vision");
	team.clusters = [
		newCluster({
			id: 1,
			name: "default",
			max_workers: 8,
			active_workers: 4,
			busy_workers: 3,
			default: true,
		}),
		newCluster({ id: 2, name: "gpu", max_workers: 4 }),
	];
	const templates = new Map<string, PipelineRecord>();
	for (const [index, story] of STORIES.entries()) {
		const { name, cron, pipeline, minutes } = story;
		const template =
			templates.get(pipeline) ??
			addRun(team, story, pipeline, now - 20 * DAY, "COMPLETE", null);
		template.paused = story.paused ?? false;
		templates.set(pipeline, template);
		let fired = 0;
		for (const at of runsIn(cron, midnight(now - 14 * DAY), now)) {
			const daysAgo = (midnight(now) - midnight(at)) / DAY;
			if (story.skipped?.(daysAgo)) continue;
			const isOver = at + minutes * 1.3 * MINUTE < now;
			const status = story.failed?.(daysAgo, new Date(at).getUTCHours())
				? "FAILED"
				: isOver
					? "COMPLETE"
					: "RUNNING";
			addRun(
				team,
				story,
				`${pipeline}-${fired}-${index}`,
				at,
				status,
				name,
			).schedule_id = index + 1;
			fired += 1;
		}
		addSchedule(team, story, now, template);
	}
	// One that has been running for half a day, although it takes half an hour.
	const slow = {
		...(STORIES[3] as Story),
		pipeline: "backfill",
		steps: ["backfill.py"],
	};
	for (const ago of [4, 3, 2, 1])
		addRun(
			team,
			{ ...slow, minutes: 30 },
			"backfill",
			now - ago * DAY,
			"COMPLETE",
			null,
		);
	addRun(team, slow, "backfill", now - 11 * HOUR, "RUNNING", null);
	team.jobs.push(
		newJob({
			id: nextUuid(),
			name: "explore.py",
			query: "print(1)",
			created_at: formatInstant(now - 50 * MINUTE),
			started_at: formatInstant(now - 49 * MINUTE),
			finished_at: formatInstant(now - 20 * MINUTE),
			created_by: "data-eng",
			status: "COMPLETE",
			...GPU,
			exit_code: 0,
			environment: { PASSWORD: "hunter2-secret-value" },
			logs: Array.from({ length: lines }, (_, line) => `${logLine(line)}\n`),
		}),
	);
	return team;
}

/** A pipeline whose run has all its jobs, and the job with the long log. */
export const placesIn = ({ pipelines, jobs }: TeamState) => ({
	pipelineId: pipelines
		.filter(({ schedule_name }) => schedule_name === "training-sample")
		.at(-1)?.pipeline_id,
	logOf: jobs.at(-1)?.id,
});

function logLine(line: number): string {
	const stamp = `12:${String(Math.floor(line / 60) % 60).padStart(2, "0")}:${String(line % 60).padStart(2, "0")}`;
	if (line % 97 === 13)
		return `${stamp} WARNING  <script>alert(${line})</script> slow object ${line}, ${"retrying ".repeat(30)}`;
	if (line % 211 === 5) return `${stamp} INFO     signing in with hunter2-secret-value`;
	return `${stamp} INFO     processed batch ${line} of many: 128 rows`;
}

function addSchedule(
	team: TeamState,
	{ name, cron, by }: Story,
	now: number,
	template: PipelineRecord,
): void {
	team.schedules.push(
		newSchedule({
			id: team.schedules.length + 1,
			schedule_name: name,
			created_at: formatInstant(now - 21 * DAY),
			created_by: newUser(by ?? "data-eng"),
			updated_at: formatInstant(now - 15 * DAY),
			start_after: formatInstant(cron === null ? now - 3 * DAY : now - 21 * DAY),
			cron_expression: cron,
			pipeline_id: template.pipeline_id,
		}),
	);
}

const DEFAULT = { compute_cluster_id: 1, compute_cluster_name: "default" };
const GPU = { compute_cluster_id: 2, compute_cluster_name: "gpu" };
const ERROR = "ValueError: 3 rows without a label";

function addRun(
	team: TeamState,
	story: Story,
	name: string,
	at: number,
	status: string,
	schedule: string | null,
): PipelineRecord {
	const pipeline = newPipeline({
		pipeline_id: nextUuid(),
		name,
		triggered_from: `dev.${story.pipeline}.final@1.0.0`,
		created_at: formatInstant(at),
		created_by: "data-eng",
		schedule_name: schedule,
	});
	const each = (story.minutes * MINUTE) / story.steps.length;
	const broken = Math.floor(story.steps.length / 2);
	let start = at;
	for (const [index, step] of story.steps.entries()) {
		const id = nextUuid();
		const vary = 0.8 + ((at / MINUTE + index * 7) % 40) / 100;
		const isLast = index === story.steps.length - 1;
		const running = status === "RUNNING" && isLast ? "RUNNING" : "COMPLETE";
		const after = index > broken ? "CANCELED" : "FAILED";
		const state = status === "FAILED" && index >= broken ? after : running;
		const end = start + each * vary;
		team.jobs.push(
			newJob({
				id,
				name: step,
				query: "# local-server: hold",
				created_at: formatInstant(at),
				created_by: "data-eng",
				status: state,
				started_at: state === "CANCELED" ? null : formatInstant(Math.round(start)),
				finished_at: state === "RUNNING" ? null : formatInstant(Math.round(end)),
				...(index % 3 === 2 ? GPU : DEFAULT),
				pipeline_id: pipeline.pipeline_id,
				exit_code: state === "FAILED" ? 1 : state === "COMPLETE" ? 0 : null,
				error_message: state === "FAILED" ? ERROR : null,
				logs: [`Running ${step}\n`, state === "FAILED" ? `${ERROR}\n` : "Finished\n"],
			}),
		);
		pipeline.job_runs.push({
			job_id: nextUuid(),
			parent_job_ids: parentsOf(index, pipeline),
			name: step,
			created_job_id: id,
		});
		pipeline.updated_at = formatInstant(Math.round(end));
		start = end;
	}
	if (status === "FAILED")
		pipeline.error_message = `Job "${story.steps[broken]}" failed: ${ERROR}`;
	team.pipelines.push(pipeline);
	return pipeline;
}

/** A diamond if there are five steps; otherwise one after the other. */
function parentsOf(index: number, { job_runs: runs }: PipelineRecord): string[] {
	if (index === 0) return [];
	if (index === 3 || index === 2) return [runs[1]?.job_id ?? ""];
	if (index === 4) return [runs[2]?.job_id ?? "", runs[3]?.job_id ?? ""];
	return [runs[index - 1]?.job_id ?? ""];
}

/** A team of 5,000 schedules, 500 pipelines, 10,000 runs and 20,000 jobs. */
export function largeBoardTeam(now: number): TeamState {
	const team = emptyTeam("vision");
	const large = (index: number): Story => ({
		name: `schedule-${String(index).padStart(4, "0")}`,
		cron: `${index % 60} ${(index * 7) % 24} * * *`,
		pipeline: `pipeline-${index % 500}`,
		steps: ["load", "write"],
		minutes: 5 + (index % 50),
	});
	const templates = Array.from({ length: 500 }, (_, index) =>
		addRun(
			team,
			{ ...large(index), steps: [] },
			`pipeline-${index}`,
			now - 20 * DAY,
			"COMPLETE",
			null,
		),
	);
	for (let index = 0; index < 5_000; index += 1) {
		const own = large(index);
		for (const at of runsIn(own.cron, now - 2 * DAY, now)) {
			const status = index % 100 === 3 && at > now - DAY ? "FAILED" : "COMPLETE";
			addRun(team, own, `${own.pipeline}-run`, at, status, own.name).schedule_id =
				index + 1;
		}
		addSchedule(team, own, now, templates[index % 500] as PipelineRecord);
	}
	return team;
}

/** Writes the data of a server whose only team has these records. */
export function writeTeam(dataFile: string, team: TeamState): void {
	const nextScheduleId = 1 + team.schedules.length;
	writeFileSync(
		dataFile,
		JSON.stringify({ ...emptyState(), nextScheduleId, teams: [team] }),
	);
}

/** A local server with the board at its root. */
export interface BoardServer extends LocalServer {
	/** Where a browser sees the board. */
	readonly pageUrl: string;
}

/** A server whose main team has these records, with the board at its root; its clock stands still. */
export async function serverWith(
	team: TeamState,
	now: number,
	options: ServerOptions = {},
): Promise<BoardServer> {
	const dataFile = join(tempFolder("board-team-").path, "team.json");
	writeTeam(dataFile, team);
	const clock = manualClock(new Date(now).toISOString());
	const given = {
		teamName: team.name,
		token: "dcl_of-the-board",
		dataFile,
		clock,
		rootPage: boardAtRoot,
	};
	const server = await startServer({ ...given, ...options });
	return { ...server, pageUrl: rootPageUrl(server.url, server.token) };
}
