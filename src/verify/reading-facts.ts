import { randomBytes } from "node:crypto";
import type { EndpointName } from "../schemas/wire/endpoints";
import { Untried } from "./outcome";
import { type Answer, fieldOf, type Service } from "./service";

/** No column for ids is smaller, and no team makes as many schedules. Not 0, which a service may read as "none given". */
export const UNUSED_ID = 2 ** 31 - 1;

export type ListName = "listClusters" | "listJobs" | "listPipelines" | "listSchedules";

/** What several probes look at, requested once. */
export class ReadingFacts {
	/** Of nothing that is there. */
	readonly absentName = `verify-absent-${randomBytes(6).toString("hex")}`;
	private readonly answers = new Map<string, Promise<Answer>>();

	constructor(private readonly service: Service) {}

	/** The answer to a request; the same request is sent once. */
	ask(
		name: EndpointName,
		fields: Readonly<Record<string, unknown>> = {},
	): Promise<Answer> {
		const key = `${name} ${JSON.stringify(fields)}`;
		const answer = this.answers.get(key) ?? this.service.ask(name, fields);
		this.answers.set(key, answer);
		return answer;
	}

	/** The elements of a list. */
	async list(
		name: ListName,
		fields: Readonly<Record<string, unknown>> = {},
	): Promise<readonly unknown[]> {
		const { json } = (await this.ask(name, fields)).orThrow();
		if (Array.isArray(json)) return json;
		throw new Untried("the list is not an array");
	}

	/** The answer to a request without a token. */
	withoutToken(): Promise<Answer> {
		return this.once("without token", () =>
			this.service.ask("listClusters", {}, { authorization: null }),
		);
	}

	/** The answer to a request for a team that the token cannot see. */
	otherTeam(): Promise<Answer> {
		return this.ask("listClusters", { team_name: this.absentName });
	}

	/** The answer to a request for a schedule that the list does not have. */
	async absentSchedule(): Promise<Answer> {
		const ids = (await this.list("listSchedules")).map((schedule) =>
			fieldOf(schedule, "id"),
		);
		if (ids.map(String).includes(String(UNUSED_ID)))
			throw new Untried(`there is a schedule ${UNUSED_ID}`);
		return this.ask("getSchedule", { schedule_id: UNUSED_ID });
	}

	/** The names of the newest pipelines. */
	async pipelineNames(): Promise<string[]> {
		const pipelines = await this.list("listPipelines");
		return pipelines
			.map((pipeline) => fieldOf(pipeline, "name"))
			.filter((name) => typeof name === "string");
	}

	private once(key: string, ask: () => Promise<Answer>): Promise<Answer> {
		const answer = this.answers.get(key) ?? ask();
		this.answers.set(key, answer);
		return answer;
	}
}
