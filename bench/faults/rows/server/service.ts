import { z } from "zod";
import type { ServerChild } from "../../server-child";

const scheduleSchema = z.object({
	id: z.number(),
	schedule_name: z.string(),
	cron_expression: z.string().nullable(),
});
const settingsSchema = z.object({ python_version: z.string().nullable(), workers: z.number().nullable() });

/** The pipeline of the seeded team that everything here belongs to. */
const PIPELINE = "nightly-images";

/** Plain requests without repetition: a reply is an acknowledgement, anything else is none. */
export class Service {
	/** Requests without a reply yet. */
	underWay = 0;

	constructor(private readonly server: Pick<ServerChild, "url" | "token">) {}

	async create(fields: object): Promise<number> {
		const reply = await this.post("/pipeline/create-schedule", { ...fields, pipeline_name: PIPELINE });
		return z.object({ schedule: scheduleSchema }).parse(reply).schedule.id;
	}

	update(id: number, fields: object): Promise<unknown> {
		return this.post("/pipeline/update-schedule", { schedule_id: id, ...fields });
	}

	remove(id: number): Promise<unknown> {
		return this.post("/pipeline/delete-schedule", { schedule_id: id });
	}

	settings(fields: object): Promise<unknown> {
		return this.post("/pipeline/settings", { pipeline_name: PIPELINE, ...fields });
	}

	async upload(name: string): Promise<number> {
		const form = new FormData();
		form.append("file", new Blob([name]), name);
		return z.object({ id: z.number() }).parse(await this.send("/jobs/files", { method: "POST", body: form }))
			.id;
	}

	async list(): Promise<z.infer<typeof scheduleSchema>[]> {
		return z.array(scheduleSchema).parse(await this.send("/pipeline/schedules"));
	}

	/** The two settings that different writers set, each without the other. */
	async shared(): Promise<Record<string, string>> {
		const found = settingsSchema.parse(await this.send(`/pipeline/status?name=${PIPELINE}`));
		return { python: String(found.python_version), workers: String(found.workers) };
	}

	private post(path: string, body: object): Promise<unknown> {
		const headers = { "Content-Type": "application/json" };
		return this.send(path, { method: "POST", headers, body: JSON.stringify(body) });
	}

	private async send(path: string, init: RequestInit = {}): Promise<unknown> {
		this.underWay++;
		try {
			const headers = { ...init.headers, Authorization: `Bearer ${this.server.token}` };
			const signal = AbortSignal.timeout(20_000);
			const response = await fetch(`${this.server.url}/api/datachain${path}`, { ...init, headers, signal });
			const text = await response.text();
			if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
			return JSON.parse(text);
		} finally {
			this.underWay--;
		}
	}
}
