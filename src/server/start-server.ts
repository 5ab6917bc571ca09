import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";
import { errorReply, makeApp, type ServerContext } from "./app";
import { type TokenGrant, Tokens } from "./auth";
import { type Clock, systemClock } from "./clock";
import { type FaultSwitch, Faults } from "./faults";
import type { HonoEnv } from "./hono-env";
import { Refusal } from "./inputs";
import { armJob } from "./jobs";
import { makeLogSocket } from "./logs";
import { FileStore, memoryStore } from "./persistence";
import { pipelineJobEnded } from "./pipeline-progress";
import { RequestLog } from "./request-log";
import { armSchedule } from "./schedules";
import { seedTeam } from "./seed";
import type { TeamState } from "./state";
import {
	addTeam,
	type Colleague,
	colleagueIn,
	type NewTeam,
	removeTeam,
} from "./teams";
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
	/** Gets a line for each request and for each failure of the server itself; no secrets in it. */
	log?: (line: string) => void;
	/** A page for people at the root, such as the one of `pulumi-datachain serve`; none unless given. */
	rootPage?: MakeRootPage;
}

/** What a page at the root knows of its server. */
export interface RootPageServer {
	/** The token with full access. */
	readonly token: string;
	readonly teamName: string;
	/** Where the server listens. */
	readonly host: string;
	/** http://host:port, once the server listens. */
	url(): string;
	/** The server's clock, in milliseconds since 1970. */
	now(): number;
	/** Another number after each change of the data. */
	revision(): number;
}

export interface RootPage {
	readonly paths: readonly string[];
	respond(request: Request): Promise<Response>;
	close(): Promise<void> | void;
}

export type MakeRootPage = (server: RootPageServer) => RootPage;

export interface LocalServer {
	/** http://host:port, without /api. */
	readonly url: string;
	readonly token: string;
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

/** Who listens on every address is reached at this one from the same machine, and clients send no token to the others. */
const LOOPBACK: Readonly<Record<string, string>> = {
	"0.0.0.0": "127.0.0.1",
	"::": "::1",
};

/** Starts the local server: the service's whole API over HTTP and WebSocket, on this machine. */
export async function startServer(options: ServerOptions = {}): Promise<LocalServer> {
	const { teamName = "vision", host = "127.0.0.1" } = options;
	const token = options.token ?? `dcl_${randomBytes(24).toString("base64url")}`;
	const full: TokenGrant = {
		token,
		user: "developer",
		teams: [teamName],
		read: true,
		write: true,
	};
	const grants = [full, ...(options.tokens ?? [])];
	// A token that no Authorization header can carry would only show as a puzzling 401.
	if (!grants.every((grant) => /^[\x21-\x7e]+$/.test(grant.token))) {
		throw new Error("A token must be printable ASCII without spaces.");
	}
	const context = makeContext(options, grants);
	const { world, store, faults, requests, tokens } = context;
	const closing: (() => Promise<void> | void)[] = [() => store.close()];
	const closeAll = async (): Promise<void> => {
		world.close();
		for (const close of closing.reverse()) await close();
	};
	try {
		addTeams(world, grants, options.empty === true ? undefined : teamName);
		const app = makeApp(context);
		if (options.rootPage !== undefined) {
			const page = addRootPage(app, world, options.rootPage, { token, teamName, host });
			closing.push(() => page.close());
		}
		const listener = await listen(app, context, host, options.port ?? 0);
		closing.push(listener.close);
		const reached = LOOPBACK[host] ?? host;
		world.url = `http://${reached.includes(":") ? `[${reached}]` : reached}:${listener.port}`;
		startEngine(world);
		store.save();
	} catch (error) {
		await closeAll();
		throw error;
	}
	const { url } = world;
	let closed: Promise<void> | undefined;
	return {
		url,
		token,
		teamName,
		clock: world.clock,
		faults,
		requests,
		environment: {
			DATACHAIN_STUDIO_URL: url,
			DATACHAIN_STUDIO_TOKEN: token,
			DATACHAIN_STUDIO_TEAM: teamName,
		},
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
		close: () => (closed ??= closeAll()),
	};
}

function makeContext(
	options: ServerOptions,
	grants: readonly TokenGrant[],
): ServerContext {
	const store =
		options.dataFile === undefined ? memoryStore() : new FileStore(options.dataFile);
	const clock = options.clock ?? systemClock();
	const faults = new Faults(options.faults ?? false, store.state, clock);
	const step = Math.max(1, options.jobStepMillis ?? 1500);
	const changed = (team: TeamState): void => {
		store.touch();
		faults.recordChange(team);
	};
	return {
		world: new World(
			store.state,
			clock,
			step,
			options.normalise ?? true,
			changed,
			pipelineJobEnded,
		),
		store,
		tokens: new Tokens(grants),
		faults,
		requests: new RequestLog(),
		log: options.log ?? (() => {}),
	};
}

/** Teams of an earlier run stay as they are; a new one gets the believable history if it is the main one. */
function addTeams(
	world: World,
	grants: readonly TokenGrant[],
	seeded: string | undefined,
): void {
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

// ── Listening ──

async function listen(
	app: Hono<HonoEnv>,
	context: ServerContext,
	host: string,
	port: number,
) {
	const listener = getRequestListener((request, env) => app.fetch(request, env), {
		// A Host header or path that makes no URL never reaches the app.
		errorHandler: () =>
			errorReply(
				new Refusal(400, "The request's address or Host header is not valid."),
			),
		overrideGlobalObjects: false,
	});
	// Long enough for a large upload.
	const server = createServer({ requestTimeout: 3_600_000 }, (incoming, outgoing) => {
		outgoing.setHeader("Date", new Date(context.world.now()).toUTCString());
		void listener(incoming, outgoing);
	});
	// Also those that are WebSockets, or were refused to become one: the HTTP server no longer knows them.
	const sockets = new Set<Socket>();
	server.on("connection", (socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
	});
	server.on("upgrade", makeLogSocket(context));
	await once(server.listen(port, host), "listening");
	const close = async (): Promise<void> => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	};
	return { port: (server.address() as AddressInfo).port, close };
}

/** The page at the root, which asks as its owner. */
function addRootPage(
	app: Hono<HonoEnv>,
	world: World,
	makePage: MakeRootPage,
	{ token, teamName, host }: { token: string; teamName: string; host: string },
): RootPage {
	const page = makePage({
		token,
		teamName,
		host,
		url: () => world.url,
		now: () => world.now(),
		revision: () => world.revision,
	});
	for (const path of page.paths) app.all(path, ({ req }) => page.respond(req.raw));
	return page;
}
