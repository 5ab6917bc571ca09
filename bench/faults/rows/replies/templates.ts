import { endpoints } from "../../../../src/schemas/endpoints";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { type LocalServer, startServer } from "../../../../src/server";

/** A valid reply of each endpoint. */
export type Templates = Readonly<Record<EndpointName, unknown>>;

/** Names that the valid replies carry, so that the provider's handlers recognise what they asked for. */
export const NAMES = { schedule: "fuzzed", pipeline: "rusty-vise", cron: "0 3 * * *" };

/** What a list is cut to: more of the same would only make each case slower. */
const LONGEST_LIST = 3;

/** Takes the valid replies from the local server, one real request for each endpoint. */
export async function captureTemplates(): Promise<Templates> {
	const server = await startServer();
	try {
		return await capture(new Recorder(server));
	} finally {
		await server.close();
	}
}

async function capture(recorder: Recorder): Promise<Templates> {
	const ask = recorder.ask.bind(recorder);
	await ask("createJob", { query: "print(1)", query_type: "PYTHON", environment: "A=1" });
	const jobId = textAt(recorder.replies.createJob, "id");
	await ask("listJobs", {});
	await ask("jobLogs", {}, jobId);
	await ask("cancelJob", {}, jobId);
	await recorder.upload();
	await ask("listClusters", {});
	await ask("createSchedule", {
		schedule_name: NAMES.schedule,
		pipeline_name: NAMES.pipeline,
		cron_expression: NAMES.cron,
	});
	const schedule = { schedule_id: numberAt(recorder.replies.createSchedule, "schedule", "id") };
	await ask("updateSchedule", { ...schedule, cron_expression: NAMES.cron });
	await ask("getSchedule", schedule);
	await ask("listSchedules", {});
	await ask("updateSettings", { pipeline_name: NAMES.pipeline, workers: 1, environment: "A=1" });
	await ask("pausePipeline", { name: NAMES.pipeline });
	await ask("resumePipeline", { name: NAMES.pipeline });
	await ask("pipelineStatus", { name: NAMES.pipeline });
	await ask("listPipelines", {});
	const dataset = textAt(recorder.replies.pipelineStatus, "triggered_from");
	await ask("triggerPipeline", { datasets: [dataset], review: true });
	const made = recorder.replies.triggerPipeline;
	await ask("removeJob", {
		name: textAt(made, "pipeline", "name"),
		job_id: textAt(made, "pipeline", "job_runs", "0", "created_job_id"),
	});
	await ask("deleteSchedule", schedule);
	return recorder.complete();
}

class Recorder {
	readonly replies: Partial<Record<EndpointName, unknown>> = {};

	constructor(private readonly server: LocalServer) {}

	async ask(name: EndpointName, fields: Record<string, unknown>, jobId = ""): Promise<void> {
		const { method, path } = endpoints[name];
		const url = new URL(`${this.server.url}/api${path.replace("{job_id}", jobId)}`);
		const all = { team_name: this.server.teamName, ...fields };
		if (method === "GET") {
			for (const [key, value] of Object.entries(all)) url.searchParams.set(key, String(value));
		}
		const body = method === "POST" ? JSON.stringify(all) : null;
		await this.send(name, url, { method, body, headers: { "content-type": "application/json" } });
	}

	async upload(): Promise<void> {
		const form = new FormData();
		form.set("file", new Blob(["abc"]), "a.txt");
		const url = new URL(`${this.server.url}/api${endpoints.uploadFile.path}`);
		url.searchParams.set("team_name", this.server.teamName);
		await this.send("uploadFile", url, { method: "POST", body: form });
	}

	complete(): Templates {
		const missing = Object.keys(endpoints).filter((name) => !(name in this.replies));
		if (missing.length > 0) throw new Error(`No valid reply was taken for ${missing.join(", ")}.`);
		return this.replies as Templates;
	}

	private async send(name: EndpointName, url: URL, init: RequestInit): Promise<void> {
		const headers = { ...init.headers, authorization: `Bearer ${this.server.token}` };
		const reply = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(20_000) });
		const text = await reply.text();
		if (reply.status !== 200) {
			throw new Error(`The local server answered ${name} with ${reply.status}: ${text.slice(0, 300)}`);
		}
		const content: unknown = JSON.parse(text);
		this.replies[name] = Array.isArray(content) ? content.slice(0, LONGEST_LIST) : content;
	}
}

function at(value: unknown, path: readonly string[]): unknown {
	return path.reduce<unknown>(
		(found, key) => (typeof found === "object" && found !== null ? Reflect.get(found, key) : undefined),
		value,
	);
}

function textAt(value: unknown, ...path: string[]): string {
	const found = at(value, path);
	if (typeof found === "string") return found;
	throw new Error(`The local server's reply has no text at ${path.join(".")}.`);
}

function numberAt(value: unknown, ...path: string[]): number {
	const found = at(value, path);
	if (typeof found === "number") return found;
	throw new Error(`The local server's reply has no number at ${path.join(".")}.`);
}
