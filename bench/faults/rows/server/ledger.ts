import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { z } from "zod";
import { type LiveSchedule, type LiveSettings, versionOf } from "./writes";

/** What may be found: a version, or no schedule at all. */
type Version = number | "gone";

const savedSchema = z.looseObject({
	nextFileId: z.number(),
	nextScheduleId: z.number(),
	teams: z.array(
		z.looseObject({
			files: z.array(
				z.object({ id: z.number(), filename: z.string(), size: z.number(), sha256: z.string() }),
			),
			schedules: z.array(z.looseObject({ id: z.number(), pipelineId: z.string() })),
			pipelines: z.array(z.looseObject({ id: z.string() })),
		}),
	),
});

/** What the server has acknowledged, and what was under way when it was killed. */
export class Ledger {
	readonly lost: string[] = [];
	readonly torn: string[] = [];
	readonly duplicates: string[] = [];
	acknowledged = 0;
	readonly #schedules = new Map<number, { label: string; may: Version[] }>();
	readonly #created = new Set<number>();
	readonly #unanswered = new Set<string>();
	readonly #files = new Map<number, string>();
	#settings: string[];

	/** What the server starts with. */
	constructor(schedules: readonly LiveSchedule[], settings: LiveSettings) {
		for (const { id } of schedules) this.#created.add(id);
		this.#settings = [settingsText(settings)];
	}

	beginCreate(label: string): void {
		this.#unanswered.add(label);
	}

	created(id: number, label: string, version: number): void {
		this.#unanswered.delete(label);
		this.acknowledged++;
		if (this.#created.has(id)) this.duplicates.push(`schedule id ${id} was given out twice (${label})`);
		this.#created.add(id);
		this.#schedules.set(id, { label, may: [version] });
	}

	/** Either version may be found until the write is acknowledged. */
	begin(id: number, next: Version): void {
		this.#schedules.get(id)?.may.push(next);
	}

	done(id: number, version: Version): void {
		const entry = this.#schedules.get(id);
		if (entry !== undefined) entry.may = [version];
		this.acknowledged++;
	}

	beginSettings(settings: LiveSettings): void {
		this.#settings.push(settingsText(settings));
	}

	doneSettings(settings: LiveSettings): void {
		this.#settings = [settingsText(settings)];
		this.acknowledged++;
	}

	uploaded(id: number, name: string): void {
		if (this.#files.has(id)) this.duplicates.push(`file id ${id} was given out twice (${name})`);
		this.#files.set(id, name);
		this.acknowledged++;
	}

	/** Compares what a restarted server has with what was acknowledged, and goes on from there. */
	compare(live: readonly LiveSchedule[], when: string): void {
		const byId = new Map(live.map((one) => [one.id, one]));
		if (byId.size !== live.length) this.duplicates.push(`${when}: two schedules share an id`);
		for (const [id, entry] of this.#schedules) {
			const found = byId.get(id);
			const version = found === undefined ? "gone" : versionOf(found);
			if (version === undefined) this.torn.push(`${when}: schedule ${id} is half one version, half another`);
			else if (!entry.may.includes(version)) {
				this.lost.push(`${when}: schedule ${id} is ${version}, acknowledged was ${entry.may.join(" or ")}`);
			}
			// Found after a restart means saved, so it has to stay.
			if (version !== undefined) entry.may = [version];
		}
		for (const one of live) this.#explain(one, when);
		this.#unanswered.clear();
	}

	/** A schedule that no acknowledgement knows must be one whose create was under way. */
	#explain(live: LiveSchedule, when: string): void {
		if (this.#created.has(live.id)) return;
		const label = live.schedule_name.slice(0, live.schedule_name.lastIndexOf("."));
		const version = versionOf(live);
		if (version === undefined) this.torn.push(`${when}: the unacknowledged ${label} is half written`);
		else if (!this.#unanswered.delete(label)) this.duplicates.push(`${when}: a second ${label}`);
		this.#created.add(live.id);
		this.#schedules.set(live.id, { label, may: [version ?? "gone"] });
	}

	compareSettings(live: LiveSettings, when: string): void {
		const found = settingsText(live);
		if (this.#settings.includes(found)) this.#settings = [found];
		else this.lost.push(`${when}: settings ${found}, acknowledged was ${this.#settings.join(" or ")}`);
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
		for (const id of this.#created) {
			if (id >= nextScheduleId) this.duplicates.push(`${when}: schedule id ${id} would be given out again`);
		}
		for (const team of teams) {
			const pipelines = new Set(team.pipelines.map(({ id }) => id));
			const orphan = team.schedules.find(({ pipelineId }) => !pipelines.has(pipelineId));
			if (orphan !== undefined) this.torn.push(`${when}: schedule ${orphan.id} has no pipeline`);
		}
	}

	/** Call it once a server has started: it removes what a kill left behind. */
	compareFolder(dataFile: string, when: string): void {
		const left = readdirSync(dirname(dataFile)).filter((name) =>
			name.startsWith(`${basename(dataFile)}.tmp-`),
		);
		if (left.length > 0) this.torn.push(`${when}: ${left.join(", ")} was left behind`);
	}
}

const settingsText = ({ python_version, workers }: LiveSettings): string =>
	`Python ${python_version}, ${workers} workers`;

function jsonOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
