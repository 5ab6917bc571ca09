import { describe, expect, it } from "vitest";
import { Changes } from "../../../src/board/board";
import { forecastPage } from "../../../src/board/files";
import { pageWith } from "../../../src/board/http";
import { jobRow, pipelineRow } from "../../../src/board/rows";
import {
	type AttentionRow,
	asTyped,
	type Embedded,
	NO_FACTS,
	type Rows,
} from "../../../src/team/snapshot";
import { bundlePage } from "../../../tools/build/bundle-page";
import {
	factsFor,
	factsOf,
	forecastOf,
	MINUTE,
	scheduleOf,
} from "../../helpers/forecast-team";

const FACTS = { ...NO_FACTS, team: "ml", now: 1, asOf: 1 };
const rowsOf = (...attention: AttentionRow[]): Rows => ({
	schedules: [],
	pipelines: [],
	jobs: [],
	clusters: [],
	attention,
});
const row = (id: string, text = id): AttentionRow => ({
	id,
	kind: "failed",
	severity: "bad",
	text,
	at: null,
	link: "/",
	command: null,
});

describe("changes", () => {
	it("sends all tables first, and then only those that changed", () => {
		const changes = new Changes();
		changes.update(rowsOf(row("a"), row("b")));
		const first = changes.since(null, FACTS);
		expect(first.rows).toEqual(rowsOf(row("a"), row("b")));
		changes.update(rowsOf(row("a"), row("b")));
		expect(changes.since(first.revision, FACTS).rows).toEqual({});
		changes.update(rowsOf(row("a", "other")));
		const second = changes.since(first.revision, FACTS);
		expect(second.rows).toEqual({ attention: [row("a", "other")] });
		expect(changes.since(second.revision, FACTS).rows).toEqual({});
	});

	it("sends all tables to a page of another process, or one that does not say what it has", () => {
		const [one, other] = [new Changes(), new Changes()];
		one.update(rowsOf(row("a")));
		other.update(rowsOf(row("a")));
		const { revision } = one.since(null, FACTS);
		expect(other.since(revision, FACTS).rows).toEqual(rowsOf(row("a")));
		expect(one.since(`${revision}x`, FACTS).rows).toEqual(rowsOf(row("a")));
	});
});

describe("rows", () => {
	it("hold no query, no environment and no value of it", () => {
		const secrets = {
			environment: { TOKEN: "hunter2-secret" },
			query: "secret query",
			error_message: "sent hunter2-secret to https://a:b-c-d@x",
		};
		const job = jobRow({ id: "j", status: "Failed", ...secrets });
		const pipeline = pipelineRow(
			{
				pipeline_id: "p",
				status: "FAILED",
				environment_variables: secrets.environment,
				error_message: secrets.error_message,
			},
			new Map(),
		);
		expect(JSON.stringify([job, pipeline])).not.toMatch(
			/hunter2|secret query|TOKEN|b-c-d/,
		);
		expect([job.status, pipeline.status]).toEqual(["FAILED", "FAILED"]);
	});

	it("hold no value of a job's environment in the error of its pipeline", () => {
		const job = { id: "j", status: "FAILED", environment: { TOKEN: "hunter2-secret" } };
		const job_runs = [
			{ created_job_id: "j", status: "FAILED" },
			{ created_job_id: null },
		];
		const error_message = "j failed: hunter2-secret refused";
		const pipeline = { pipeline_id: "p", status: "FAILED", job_runs, error_message };
		expect(pipelineRow(pipeline, new Map([["j", job]])).error).toBe(
			"j failed: [redacted] refused",
		);
		// Without its jobs, nobody can tell what in it is secret.
		expect(pipelineRow(pipeline, undefined).error).toBe("[redacted]");
		expect(
			pipelineRow({ ...pipeline, error_message: null }, undefined).error,
		).toBeNull();
	});

	it("do not take the last write of a template's settings for the end of a run", () => {
		const template = {
			pipeline_id: "p",
			status: "FAILED",
			is_template: true,
			updated_at: "2026-03-01T00:00:00Z",
			job_runs: [{ created_job_id: "j" }],
		};
		const job = { id: "j", status: "FAILED", finished_at: "2026-01-01T00:00:00Z" };
		expect(pipelineRow(template, new Map()).end).toBeNull();
		expect(pipelineRow(template, new Map([["j", job]])).end).toBe(
			Date.parse(job.finished_at),
		);
		expect(
			pipelineRow({ ...template, is_template: false }, new Map()).end,
		).not.toBeNull();
	});
});

const board = { runner: "npx", team: "my team", stack: "prod" };
it.each([
	["pulumi-datachain resume etl", {}, "pulumi-datachain resume etl"],
	[
		"pulumi-datachain resume etl",
		board,
		"npx pulumi-datachain resume etl --team 'my team' --stack prod",
	],
	[
		"pulumi-datachain export --filter a",
		board,
		"npx pulumi-datachain export --filter a --team 'my team'",
	],
	[
		"pulumi-datachain drift --stack prod",
		board,
		"npx pulumi-datachain drift --stack prod",
	],
	["pulumi up --refresh", board, "pulumi up --refresh"],
])(
	"a command on the page: %s, in the team and stack that the board was started with",
	(command, typing, typed) => {
		expect(asTyped(command, typing)).toBe(typed);
	},
);

const embeddedIn = (html: string): Embedded =>
	JSON.parse(/id="embedded">([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "");

it("the page of a forecast has the usual length of a run by team and pipeline", async () => {
	await bundlePage();
	const both = ["ml", "audio"].map((team) =>
		scheduleOf("a", { team, pipeline: "p", cron: "*/30 * * * *" }),
	);
	const pipelines = factsFor({ p: factsOf({ lengths: [45 * MINUTE] }) });
	const { rows } = embeddedIn(forecastPage(forecastOf(both, { pipelines }))).answer;
	expect(rows.schedules?.map(({ name, usual }) => [name, usual])).toEqual([
		["a (ml)", 45 * MINUTE],
		["a (audio)", null],
	]);
});

it("a file holds its data so that no name can leave its place, and a policy that allows nothing else", async () => {
	await bundlePage();
	const rows = rowsOf(row("</script><script>alert(1)</script>\u2028$&"));
	const data: Embedded = {
		views: ["report"],
		title: "T",
		zone: "UTC",
		answer: { ...FACTS, revision: "", rows },
		future: null,
		report: null,
	};
	const html = pageWith(data);
	expect(html.match(/<script/g)).toHaveLength(2);
	expect(embeddedIn(html)).toEqual(data);
	expect(
		/http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1],
	).toMatch(
		/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self'; /,
	);
	expect(html).not.toMatch(/unsafe-inline|https?:\/\/(?!www\.w3\.org)/);
});
