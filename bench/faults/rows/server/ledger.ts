import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { z } from "zod";
import type { Service } from "./service";

const savedSchema = z.looseObject({
	nextFileId: z.number(),
	nextScheduleId: z.number(),
	teams: z.array(
		z.looseObject({
			files: z.array(z.object({ id: z.number(), filename: z.string(), size: z.number() })),
			schedules: z.array(z.looseObject({ id: z.number(), pipelineId: z.string() })),
			pipelines: z.array(z.looseObject({ id: z.string() })),
		}),
	),
});

/** Name and cron of one version. Both are written together, so a mixture of two versions shows. */
export const written = (label: string, version: number) => ({
	schedule_name: `${label}.${version}`,
	cron_expression: `${version % 60} ${Math.floor(version / 60) % 24} * * *`,
});

interface LiveSchedule {
	readonly id: number;
	readonly schedule_name: string;
	readonly cron_expression: string | null;
}

/** Which version a schedule is; "torn" for a mixture. */
function versionOf({ schedule_name, cron_expression }: LiveSchedule): string {
	const version = schedule_name.slice(schedule_name.lastIndexOf(".") + 1);
	return cron_expression === written("", Number(version)).cron_expression ? version : "torn";
}

const GONE = "gone";

/** What the server has acknowledged, and what was under way when it was killed. */
export class Ledger {
	readonly lost: string[] = [];
	readonly torn: string[] = [];
	readonly duplicates: string[] = [];
	acknowledged = 0;
	/** What may be found under each key: one value, and until it is acknowledged the next one as well. */
	readonly #may = new Map<string, string[]>();
	readonly #ids = new Set<number>();
	readonly #unanswered = new Set<string>();
	readonly #files = new Map<number, string>();

	/** A write of one value; both may be found until it is acknowledged. */
	async write(key: string, value: string, send: () => Promise<unknown>): Promise<void> {
		this.#may.get(key)?.push(value);
		await send();
		this.#may.set(key, [value]);
		this.acknowledged++;
	}

	async create(label: string, version: number, send: () => Promise<number>): Promise<number> {
		this.#unanswered.add(label);
		const id = await send();
		this.#unanswered.delete(label);
		if (this.#ids.has(id)) this.duplicates.push(`schedule id ${id} was given out twice (${label})`);
		this.#ids.add(id);
		this.#may.set(keyOf(id), [String(version)]);
		this.acknowledged++;
		return id;
	}

	async upload(name: string, send: () => Promise<number>): Promise<void> {
		const id = await send();
		if (this.#files.has(id)) this.duplicates.push(`file id ${id} was given out twice (${name})`);
		this.#files.set(id, name);
		this.acknowledged++;
	}

	/** Compares what is there with what was acknowledged, and goes on from there. `first` is what the server starts with. */
	async compare(service: Service, when: string, first: boolean): Promise<void> {
		const live = await service.list();
		if (first) for (const { id } of live) this.#ids.add(id);
		const found = new Map(live.map((one) => [keyOf(one.id), versionOf(one)]));
		if (found.size !== live.length) this.duplicates.push(`${when}: two schedules share an id`);
		for (const one of live) this.#explain(one, when);
		for (const [field, value] of Object.entries(await service.shared())) found.set(field, value);
		for (const [key, may] of this.#may) {
			const value = found.get(key) ?? GONE;
			if (value === "torn") this.torn.push(`${when}: ${key} is half one version, half another`);
			else if (!may.includes(value))
				this.lost.push(`${when}: ${key} is ${value}, acknowledged was ${may.join(" or ")}`);
			// Found after a restart means saved, so it has to stay.
			this.#may.set(key, [value]);
		}
		this.#unanswered.clear();
	}

	/** A schedule that no acknowledgement knows must be one whose create was under way. */
	#explain(live: LiveSchedule, when: string): void {
		if (this.#ids.has(live.id)) return;
		const label = live.schedule_name.slice(0, live.schedule_name.lastIndexOf("."));
		if (!this.#unanswered.delete(label)) this.duplicates.push(`${when}: a second ${label}`);
		this.#ids.add(live.id);
		this.#may.set(keyOf(live.id), [versionOf(live)]);
	}

	/** The file as the kill left it; the API shows no uploads, so they are looked for here. */
	compareFile(dataFile: string, when: string): void {
		const parsed = savedSchema.safeParse(jsonOf(readFileSync(dataFile, "utf8")));
		if (!parsed.success) return void this.torn.push(`${when}: the data file is damaged`);
		const { teams, nextFileId, nextScheduleId } = parsed.data;
		const files = new Map(teams.flatMap((team) => team.files).map((file) => [file.id, file]));
		for (const [id, name] of this.#files) {
			const file = files.get(id);
			if (file?.filename !== name) this.lost.push(`${when}: file ${id} (${name}) is not there`);
			else if (file.size !== Buffer.byteLength(name)) this.torn.push(`${when}: file ${id} is half written`);
			if (id >= nextFileId) this.duplicates.push(`${when}: file id ${id} would be given out again`);
		}
		const again = [...this.#ids].filter((id) => id >= nextScheduleId);
		this.duplicates.push(...again.map((id) => `${when}: schedule id ${id} would be given out again`));
		for (const { schedules, pipelines } of teams) {
			const orphan = schedules.find(({ pipelineId }) => !pipelines.some(({ id }) => id === pipelineId));
			if (orphan !== undefined) this.torn.push(`${when}: schedule ${orphan.id} has no pipeline`);
		}
		const left = readdirSync(dirname(dataFile)).filter((name) =>
			name.startsWith(`${basename(dataFile)}.tmp-`),
		);
		if (left.length > 0) this.torn.push(`${when}: ${left.join(", ")} was left behind`);
	}
}

export const keyOf = (id: number): string => `schedule ${id}`;

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
