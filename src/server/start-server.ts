import { randomBytes } from "node:crypto";
import { boardUrl, keyOfToken } from "../board/http";
import type { ServerContext } from "./app";
import { type TokenGrant, Tokens } from "./auth";
import { type Clock, systemClock } from "./clock";
import { type FaultSwitch, Faults } from "./faults";
import { listen } from "./http-server";
import { armJob } from "./job-run";
import { LogBlobs } from "./logs";
import { FileStore, memoryStore } from "./persistence";
import { pipelineJobEnded } from "./pipelines";
import { RequestLog } from "./request-log";
import { armSchedule } from "./schedules";
import { seedTeam } from "./seed";
import type { TeamState } from "./state";
import { addTeam, type Colleague, colleagueIn, type NewTeam, removeTeam } from "./teams";
import { World } from "./world";

export interface ServerOptions {
	/** Where to listen; 127.0.0.1 unless given. */
	host?: string;
	/** 0, the default, takes a free one. */
	port?: number;
	/** Keeps the state in this file across restarts; in memory without it. */
	dataFile?: string;
	/** Starts with a team that has nothing in it. */
	empty?: boolean;
	/** Allows faults, in process and over HTTP. */
	faults?: boolean;
	/** The machine's clock unless given; `manualClock()` for tests. */
	clock?: Clock;
	/** "vision" unless given. */
	teamName?: string;
	/** The token with full access; a new random one unless given. */
	token?: string;
	/** More tokens. Teams they name exist, and are empty. */
	tokens?: readonly TokenGrant[];
	/** How long a job stays in each of its states; 1500 unless given. */
	jobStepMillis?: number;
	/** Stores cron expressions in one spelling, as the service may do; true unless given. */
	normalise?: boolean;
	/** Sends the logs of finished jobs as `log_blobs`, as the service may do; false unless given. */
	logBlobs?: boolean;
	/** How often the log WebSocket sends a ping frame; 5 seconds unless given. */
	pingMillis?: number;
	/** Gets a line for each request and for each failure of the server itself; no secrets in it. */
	log?: (line: string) => void;
}

export interface LocalServer {
	/** http://host:port, without /api. */
	readonly url: string;
	readonly token: string;
	/** Where a person sees the team in a browser. The key in it lets in to the page only. */
	readonly pageUrl: string;
	readonly teamName: string;
	readonly clock: Clock;
	readonly faults: FaultSwitch;
	readonly requests: RequestLog;
	/** Adds a team that only this server's main token sees. Requests name it; the main team stays the default. */
	addTeam(name: string, team?: NewTeam): Colleague;
	/** Forgets a team and everything in it. */
	removeTeam(name: string): void;
	/** Somebody else in a team, to look and act past the API. */
	team(name: string): Colleague;
	/** What a client needs to find this server. */
	readonly environment: {
		readonly DATACHAIN_STUDIO_URL: string;
		readonly DATACHAIN_STUDIO_TOKEN: string;
		readonly DATACHAIN_STUDIO_TEAM: string;
	};
	/** Ends connections and timers, and saves what is not saved yet. */
	close(): Promise<void>;
}

/** Starts the local server: the service's whole API over HTTP and WebSocket, on this machine. */
export async function startServer(options: ServerOptions = {}): Promise<LocalServer> {
	const teamName = options.teamName ?? "vision";
	const token = options.token ?? `dcl_${randomBytes(24).toString("base64url")}`;
	const full: TokenGrant = { token, user: "developer", teams: [teamName], read: true, write: true };
	const grants = [full, ...(options.tokens ?? [])];
	// A token that no Authorization header can carry would only show as a puzzling 401.
	if (!grants.every((grant) => /^[\x21-\x7e]+$/.test(grant.token))) {
		throw new Error("A token must be printable ASCII without spaces.");
	}
	let url = "";
	const own = { token, teamName, host: options.host ?? "127.0.0.1" };
	const context = makeContext(options, grants, own, () => url);
	const { world, store, faults, requests, tokens } = context;
	let listener: Awaited<ReturnType<typeof listen>> | undefined;
	const close = async (): Promise<void> => {
		world.close();
		await listener?.close();
		await store.close();
	};
	try {
		addTeams(world, grants, options.empty === true ? undefined : teamName);
		const { host } = own;
		listener = await listen(context, host, options.port ?? 0);
		url = `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}`;
		startEngine(world);
		await store.saved();
		let closed: Promise<void> | undefined;
		const environment = {
			DATACHAIN_STUDIO_URL: url,
			DATACHAIN_STUDIO_TOKEN: token,
			DATACHAIN_STUDIO_TEAM: teamName,
		};
		return {
			url,
			token,
			pageUrl: pageUrl(url, token),
			teamName,
			clock: world.clock,
			faults,
			requests,
			environment,
			addTeam: (name, team = {}) => {
				addTeam(world, name, team);
				tokens.setTeam(token, name, true);
				return colleagueIn(world, name);
			},
			removeTeam: (name) => {
				removeTeam(world, name);
				tokens.setTeam(token, name, false);
			},
			team: (name) => colleagueIn(world, name),
			close: () => (closed ??= close()),
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** The page's address for whoever has the token. */
export const pageUrl = (url: string, token: string): string => boardUrl(url, keyOfToken(token));

function makeContext(
	options: ServerOptions,
	grants: readonly TokenGrant[],
	own: ServerContext["own"],
	url: () => string,
): ServerContext {
	const store = options.dataFile === undefined ? memoryStore() : new FileStore(options.dataFile);
	const clock = options.clock ?? systemClock();
	const faults = new Faults(options.faults ?? false, store.state, clock);
	const step = Math.max(1, options.jobStepMillis ?? 1500);
	const changed = (team: TeamState): void => {
		store.touch();
		faults.changed(team);
	};
	const world = new World(store.state, clock, step, options.normalise ?? true, changed, pipelineJobEnded);
	return {
		world,
		store,
		tokens: new Tokens(grants),
		faults,
		requests: new RequestLog(),
		blobs: new LogBlobs(options.logBlobs ?? false),
		pingMillis: options.pingMillis ?? 5_000,
		own,
		url,
		log: options.log ?? (() => {}),
	};
}

/** Teams of an earlier run stay as they are; a new one gets the believable history if it is the main one. */
function addTeams(world: World, grants: readonly TokenGrant[], seeded: string | undefined): void {
	for (const name of new Set(grants.flatMap((grant) => grant.teams))) {
		if (world.team(name) !== undefined) continue;
		const team = world.addTeam(name);
		if (name === seeded) seedTeam(world.state, team, world.now());
		world.changed(team);
	}
}

/** Takes up the work where an earlier server left it: jobs go on, schedules fire, what is overdue happens now. */
function startEngine(world: World): void {
	for (const team of world.state.teams) {
		for (const job of team.jobs) armJob(world, team, job, job.due);
		for (const schedule of team.schedules) armSchedule(world, team, schedule);
	}
	if (world.clock.manual) world.clock.advance(0);
}
