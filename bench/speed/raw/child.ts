import { Pool } from "undici";
import { answerQuestions } from "../child";
import type { Cost } from "../model";
import type { RawQuestion } from "../variants/raw";

const connections = 8;

interface Service {
	readonly pool: Pool;
	readonly token: string;
	readonly team: string;
}

let service: Service | undefined;
let ids: number[] = [];

async function call(
	{ pool, token, team }: Service,
	path: string,
	body?: Record<string, unknown>,
): Promise<unknown> {
	const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
	const reply =
		body === undefined
			? await pool.request({ method: "GET", path: `/api/datachain/pipeline/${path}`, headers })
			: await pool.request({
					method: "POST",
					path: `/api/datachain/pipeline/${path}`,
					headers,
					body: JSON.stringify({ ...body, team_name: team }),
				});
	const json = await reply.body.json();
	if (reply.statusCode !== 200) throw new Error(`${path} was answered with ${reply.statusCode}`);
	return json;
}

async function create(target: Service, { n, cron }: RawQuestion): Promise<void> {
	const numbers = Array.from({ length: n }, (_, number) => number);
	const replies = await Promise.all(
		numbers.map((number) =>
			call(target, "create-schedule", {
				schedule_name: `bench-raw-schedule-${number}`,
				pipeline_name: "rusty-vise",
				cron_expression: cron,
			}),
		),
	);
	ids = replies.map((reply) => (reply as { schedule: { id: number } }).schedule.id);
}

async function work(target: Service, question: RawQuestion): Promise<void> {
	const forEach = (act: (id: number) => Promise<unknown>) => Promise.all(ids.map(act));
	const query = `team_name=${encodeURIComponent(target.team)}`;
	switch (question.step) {
		case "up":
			return create(target, question);
		case "update":
			await forEach((id) =>
				call(target, "update-schedule", { schedule_id: id, cron_expression: question.cron }),
			);
			return;
		case "refresh":
			await forEach((id) => call(target, `schedule?${query}&schedule_id=${id}`));
			return;
		case "preview-refresh":
			await call(target, `schedules?${query}`);
			return;
		case "destroy":
			await forEach((id) => call(target, "delete-schedule", { schedule_id: id }));
			return;
	}
}

async function answer(question: RawQuestion): Promise<Cost> {
	if (question.step === "up") {
		await service?.pool.close();
		const { url, token, team } = question.server;
		service = { pool: new Pool(url, { connections }), token, team };
	}
	if (service === undefined) throw new Error("Nothing is deployed; ask for up first.");
	const cpuBefore = process.cpuUsage();
	const started = performance.now();
	await work(service, question);
	const wallMs = performance.now() - started;
	const { user, system } = process.cpuUsage(cpuBefore);
	// There is no provider process and no state.
	const none = { memoryBytes: undefined, stateBytes: undefined, bareStateBytes: undefined };
	return { wallMs, cpuMs: (user + system) / 1000, ...none };
}

answerQuestions(answer);
