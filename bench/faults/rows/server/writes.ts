import { z } from "zod";
import type { ServerChild } from "./child";

const scheduleSchema = z.object({
	id: z.number(),
	schedule_name: z.string(),
	cron_expression: z.string().nullable(),
});
const madeSchema = z.object({ schedule: scheduleSchema });
const uploadedSchema = z.object({ id: z.number() });
const settingsSchema = z.object({ python_version: z.string().nullable(), workers: z.number().nullable() });

export type LiveSchedule = z.infer<typeof scheduleSchema>;
export type LiveSettings = z.infer<typeof settingsSchema>;

/** The pipeline of the seeded team that everything here belongs to. */
export const PIPELINE = "nightly-images";

/** Name and cron of one version. Both are written together, so a mixture of two versions shows. */
export const written = (label: string, version: number) => ({
	schedule_name: `${label}.${version}`,
	cron_expression: `${version % 60} ${Math.floor(version / 60) % 24} * * *`,
});

/** Which version a schedule is; undefined for one that is a mixture. */
export function versionOf(live: LiveSchedule): number | undefined {
	const at = live.schedule_name.lastIndexOf(".");
	const version = Number(live.schedule_name.slice(at + 1));
	return live.cron_expression === written("", version).cron_expression ? version : undefined;
}

/** Plain requests without repetition: a reply is an acknowledgement, anything else is none. */
export class Requests {
	/** Requests without a reply yet. */
	underWay = 0;

	constructor(private readonly server: Pick<ServerChild, "url" | "token">) {}

	async create(label: string, version: number): Promise<LiveSchedule> {
		const body = { ...written(label, version), pipeline_name: PIPELINE };
		return madeSchema.parse(await this.post("/pipeline/create-schedule", body)).schedule;
	}

	update(id: number, fields: Partial<ReturnType<typeof written>>): Promise<unknown> {
		return this.post("/pipeline/update-schedule", { schedule_id: id, ...fields });
	}

	remove(id: number): Promise<unknown> {
		return this.post("/pipeline/delete-schedule", { schedule_id: id });
	}

	async upload(name: string): Promise<number> {
		const form = new FormData();
		form.append("file", new Blob([name]), name);
		return uploadedSchema.parse(await this.send("/jobs/files", { method: "POST", body: form })).id;
	}

	settings(fields: Partial<LiveSettings>): Promise<unknown> {
		return this.post("/pipeline/settings", { pipeline_name: PIPELINE, ...fields });
	}

	async readSettings(): Promise<LiveSettings> {
		return settingsSchema.parse(await this.send(`/pipeline/status?name=${PIPELINE}`));
	}

	async read(id: number): Promise<LiveSchedule> {
		return scheduleSchema.parse(await this.send(`/pipeline/schedule?schedule_id=${id}`));
	}

	async list(): Promise<LiveSchedule[]> {
		return z.array(scheduleSchema).parse(await this.send("/pipeline/schedules"));
	}

	private post(path: string, body: object): Promise<unknown> {
		const headers = { "Content-Type": "application/json" };
		return this.send(path, { method: "POST", headers, body: JSON.stringify(body) });
	}

	private async send(path: string, init: RequestInit = {}): Promise<unknown> {
		this.underWay++;
		try {
			const response = await fetch(`${this.server.url}/api/datachain${path}`, {
				...init,
				headers: { ...init.headers, Authorization: `Bearer ${this.server.token}` },
				signal: AbortSignal.timeout(20_000),
			});
			const text = await response.text();
			if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
			return JSON.parse(text);
		} finally {
			this.underWay--;
		}
	}
}
