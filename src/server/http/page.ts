import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hono } from "hono";
import { nextRuns, tryDescribeCron } from "../../schemas/cron";
import type { JobRecord, PipelineRecord, ScheduleRecord, TeamState } from "../state";
import { requireTeam } from "./auth";
import type { HonoEnv, ServerContext } from "./context";
import { pipelineReply } from "./replies";

const FOLDER = join(__dirname, "..", "page");

/** The files of the page, as they are on disk: nothing is built, and nothing comes from anywhere else. */
const FILES = {
	"/": { file: "index.html", type: "text/html; charset=utf-8" },
	"/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
	"/page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
} as const;

const SAFE = {
	"Content-Security-Policy":
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options": "nosniff",
	"Cache-Control": "no-cache",
};

const MOST_ROWS = 50;
const NEXT_RUNS = 3;

/** A page at the root for people, and what it shows. */
export function pageRoutes(app: Hono<HonoEnv>, context: ServerContext): void {
	for (const [path, { file, type }] of Object.entries(FILES)) {
		app.get(
			path,
			() => new Response(readFileSync(join(FOLDER, file)), { headers: { "Content-Type": type, ...SAFE } }),
		);
	}
	app.get("/api/_page/team", (c) => {
		const grant = context.tokens.authenticate(c.req.header("authorization"), "read");
		const wanted = c.req.query("team_name") ?? grant.defaultTeam ?? [...grant.teams][0];
		const team = requireTeam(context.world, grant, wanted);
		const newest = <T>(list: readonly T[]): T[] => list.slice(-MOST_ROWS).reverse();
		return c.json({
			name: team.name,
			pipelines: newest(team.pipelines).map((pipeline) => pipelineRow(team, pipeline)),
			schedules: newest(team.schedules).map((schedule) => scheduleRow(team, schedule)),
			jobs: newest(team.jobs).map((job) => jobRow(team, job)),
			files: newest(team.files).map(({ id, filename, size, state }) => ({ id, name: filename, size, state })),
		});
	});
}

const instant = (millis: number): string => new Date(millis).toISOString();

function pipelineRow(team: TeamState, pipeline: PipelineRecord) {
	const { name, status, completed, total, triggered_from: from } = pipelineReply(team, pipeline);
	return { name, status, completed, total, from, createdAt: instant(pipeline.createdAt) };
}

function scheduleRow(team: TeamState, schedule: ScheduleRecord) {
	const { cronExpression: cron, nextRun } = schedule;
	const pipeline = team.pipelines.find(({ id }) => id === schedule.pipelineId);
	const later =
		cron === null || nextRun === null ? [] : nextRuns(cron, new Date(nextRun), NEXT_RUNS - 1).map(Number);
	return {
		name: schedule.name,
		pipeline: `${pipeline?.name ?? ""}${pipeline?.paused ? " (paused: does not run)" : ""}`,
		cron,
		means: cron === null ? undefined : tryDescribeCron(cron),
		nextRuns: nextRun === null ? [] : [nextRun, ...later].map(instant),
	};
}

/** Without its query and its environment: a page is looked at over shoulders. */
function jobRow(team: TeamState, job: JobRecord) {
	return {
		id: job.id,
		name: job.name,
		status: job.status,
		createdAt: instant(job.createdAt),
		createdBy: job.createdBy,
		cluster: team.clusters.find(({ id }) => id === job.clusterId)?.name,
		workers: job.workers,
		error: job.errorMessage,
		files: job.files.map((id) => team.files.find((file) => String(file.id) === id)?.filename ?? id),
	};
}
