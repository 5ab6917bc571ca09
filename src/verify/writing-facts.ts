import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../client/errors";
import { formatInstant } from "../text/instant";
import { Untried } from "./outcome";
import type { OwnNames } from "./own-names";
import { type Answer, fieldOf, type Service } from "./service";
import type { Variables } from "./variables";

/** The pipeline that the user chose, and what the team had before anything was written. */
export interface Target {
	readonly pipeline: string;
	/** Ids of the schedules that are others'. */
	readonly scheduleIds: ReadonlySet<string>;
	readonly names: OwnNames;
}

const DAY = 24 * 60 * 60_000;

/** How long the provider expects a write to stay unseen. */
export const PATIENCE_MILLIS = 15_000;

/** What the command makes in the team, and what it has seen of it. */
export class WritingFacts {
	/** Ids of schedules that are surely this run's. */
	readonly ids = new Set<number>();
	/** Those of them that are deleted. */
	readonly deleted = new Set<number>();
	/** Names that a create request was sent with and that may exist without an id that is known. */
	readonly unanswered = new Set<string>();
	/** The schedule as a request for it showed it after it was created. */
	shown: unknown;
	/** Whether a settings request with the variable was sent. */
	settingsSent = false;
	/** Whether that request was answered. */
	settingsAnswered = false;
	/** The pipeline as the settings request left it. */
	settings:
		| { readonly before: unknown; readonly after: unknown; readonly reply: Answer }
		| undefined;
	/** Variables of others that the service changed: what they were, and what it made of them. */
	readonly damaged = new Map<
		string,
		{ readonly before: string; readonly after: string | null | undefined }
	>();
	/** Name of the uploaded file, which no request removes. */
	uploaded: string | undefined;
	readonly start: string;
	readonly cron: string;

	constructor(
		private service: Service,
		readonly target: Target,
		readonly patienceMillis: number = PATIENCE_MILLIS,
		now = Date.now(),
	) {
		// Half a year ahead in both, so that nothing runs for months whichever of them the service goes by.
		const start = new Date(now + 180 * DAY);
		this.start = formatInstant(Math.floor(start.getTime() / 1_000) * 1_000);
		this.cron = `17 4 ${Math.min(28, start.getUTCDate())} ${start.getUTCMonth() + 1} *`;
	}

	/** Goes on with another service, which an interrupt does not end. */
	using(service: Service): Service {
		service.scheme = this.service.scheme;
		this.service = service;
		return service;
	}

	/** Creates a schedule that cannot run for months. If the response is lost, the schedule is searched for. */
	async create(name: string): Promise<Answer> {
		this.unanswered.add(name);
		const request = { schedule_name: name, pipeline_name: this.target.pipeline };
		const times = { start_after: this.start, cron_expression: this.cron };
		let answer: Answer;
		try {
			answer = await this.service.ask("createSchedule", { ...request, ...times });
		} catch (error) {
			if (error instanceof ApiError && error.received === false)
				this.unanswered.delete(name);
			else await this.search(name).catch(() => {});
			throw error;
		}
		if (answer.status >= 400) this.unanswered.delete(name);
		else if (!this.claim(fieldOf(answer.json, "schedule"))) await this.search(name);
		return answer;
	}

	/** Takes a schedule for this run's: it was not there before, and has a name of this run. */
	claim(schedule: unknown): boolean {
		const [id, name] = [
			Number(fieldOf(schedule, "id")),
			fieldOf(schedule, "schedule_name"),
		];
		const { scheduleIds, names } = this.target;
		if (!Number.isSafeInteger(id) || scheduleIds.has(String(id))) return false;
		if (name !== names.schedule && name !== names.renamed) return false;
		this.ids.add(id);
		this.unanswered.delete(String(name));
		return true;
	}

	/** Looks for schedules of this run in the list. */
	async search(name: string): Promise<void> {
		await this.until(async () => {
			const { json } = (await this.service.ask("listSchedules")).orThrow();
			if (Array.isArray(json)) for (const schedule of json) this.claim(schedule);
			return !this.unanswered.has(name);
		});
	}

	/** The first schedule of this run. */
	get id(): number {
		const [id] = this.ids;
		if (id === undefined) throw new Untried("no schedule was created");
		return id;
	}

	/** The last schedule of this run, if it is not the first. */
	get secondId(): number | undefined {
		const ids = [...this.ids];
		return ids.length > 1 ? ids.at(-1) : undefined;
	}

	/** The schedule as it was shown; there is none if it was never. */
	get schedule(): unknown {
		if (this.shown === undefined) throw new Untried("the schedule was not shown");
		return this.shown;
	}

	async delete(id: number): Promise<Answer> {
		const answer = await this.service.ask("deleteSchedule", { schedule_id: id });
		if (answer.status < 300 || answer.status === 404) this.deleted.add(id);
		return answer;
	}

	/** Looks until it is so; the time that it took, or undefined if it never was. */
	async until(isSo: () => Promise<boolean>): Promise<number | undefined> {
		const began = performance.now();
		for (let pause = 50; ; pause = Math.min(2 * pause, 1_000)) {
			if (await isSo()) return Math.round(performance.now() - began);
			if (performance.now() - began + pause > this.patienceMillis) return undefined;
			await sleep(pause);
		}
	}

	/** The variables without those of this run, as they were before the service changed any. */
	restored(variables: Variables): Variables {
		const others = Object.entries(variables).filter(
			([name]) => name !== this.target.names.variable,
		);
		const restored: Record<string, string | null> = Object.fromEntries(others);
		for (const [name, { before, after }] of this.damaged)
			if ((restored[name] ?? undefined) === (after ?? undefined))
				restored[name] = before;
		return restored;
	}
}
