import { z } from "zod";
import type { Clock, Colleague, FaultSwitch, RequestLog } from "../../src/server";
import { type Reply, testServer } from "./server-harness";

const named = z.array(z.looseObject({ schedule_name: z.string() }));

/** Schedules over raw HTTP, on a server whose faults can be switched and whose clock stands still. */
export interface Schedules {
	create(name: string): Promise<Reply>;
	update(id: unknown, change: Record<string, unknown>): Promise<Reply>;
	remove(id: unknown): Promise<Reply>;
	get(id: unknown): Promise<Reply>;
	list(): Promise<Reply>;
	names(): Promise<string[]>;
	settings(change: Record<string, unknown>): Promise<Reply>;
	pipeline(): Promise<Reply>;
	pipelines(): Promise<Reply>;
	pause(): Promise<Reply>;
}

export interface FaultyServer extends Schedules {
	readonly clock: Clock;
	readonly faults: FaultSwitch;
	readonly requests: RequestLog;
	readonly team: Colleague;
	/** The same for another team. */
	in(team: string): Schedules;
	addTeam(name: string): Colleague;
}

/** A server with the team "ml", which has the pipelines p1, p2 and p3. */
export async function faultyServer(): Promise<FaultyServer> {
	const { api, clock, faults, requests, addTeam } = await testServer({ faults: true, empty: true });
	const inTeam = (team_name: string): Schedules => {
		const post = (path: string, body: Record<string, unknown>) =>
			api.post(`/pipeline/${path}`, { team_name, ...body });
		const get = (path: string, query = "") => api.get(`/pipeline/${path}?team_name=${team_name}${query}`);
		const list = () => get("schedules");
		return {
			create: (schedule_name) =>
				post("create-schedule", { schedule_name, pipeline_name: "p1", cron_expression: "@daily" }),
			update: (schedule_id, change) => post("update-schedule", { schedule_id, ...change }),
			remove: (schedule_id) => post("delete-schedule", { schedule_id }),
			get: (id) => get("schedule", `&schedule_id=${id}`),
			list,
			names: async () => named.parse((await list()).json).map((one) => one.schedule_name),
			settings: (change) => post("settings", { pipeline_name: "p1", ...change }),
			pipeline: () => get("status", "&name=p1"),
			pipelines: () => get("list", "&limit=100"),
			pause: () => post("pause", { name: "p1" }),
		};
	};
	const add = (name: string) => addTeam(name, { pipelines: ["p1", "p2", "p3"] });
	return { ...inTeam("ml"), clock, faults, requests, team: add("ml"), in: inTeam, addTeam: add };
}
