import { randomBytes } from "node:crypto";
import { createClient, type DataChainClient } from "../../../../src/api";
import { createContext } from "../../../../src/provider/context";
import { handlerOf } from "../../../../src/provider/handlers";
import { teamLists } from "../../../../src/provider/shared/team-lists";
import { KINDS } from "../../../../src/schemas/kinds";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { atOnce } from "../../at-once";
import { messageOf, providersOf } from "../../process";
import type { Random } from "../../random";
import { all, none, type Row } from "../../row";
import { ENDPOINTS, NAMES, operate, type Secrets } from "./calls";
import { type HostileServer, startHostileServer } from "./hostile-server";
import { isPolluted, leakFinder, strange, visible, watchMemory } from "./judge";
import { drawKind, isSlow, KIND_COUNT, spoilt } from "./spoil";

/** Replies for each endpoint, to the client and to the resources that use it. */
const COUNTS = { quick: { calls: 200, operations: 40 }, full: { calls: 10_000, operations: 2_000 } };
const AT_ONCE = 48;
const MAX_REPLY_BYTES = 256 * 1024;
/** What the system may hold of an endless reply after the client hung up. */
const IN_FLIGHT_BYTES = 16 * 1024 * 1024;
const SLOW_DEADLINE = 300;
const DEADLINE = 5_000;
/** A busy machine is late by this much, and no more. */
const MARGIN = 5_000;
/** The most calls that one operation of a resource makes one after another. */
const CALLS_PER_OPERATION = 25;
/** A connection that the case before has spoilt may break before the request is read. */
const LEAST_SHARE = 0.95;

interface Case {
	readonly endpoint: EndpointName;
	readonly index: number;
	readonly fromHandler: boolean;
}

/** Spoilt replies for every endpoint, to the client and to the handlers. */
export const replies: Row = {
	number: 1,
	name: "replies",
	async run({ scale, random, progress }) {
		const { calls, operations } = COUNTS[scale];
		// Endpoint after endpoint in turn, so that every connection sees all of them.
		const cases = Array.from({ length: calls + operations }, (_, index): Case[] => {
			const fromHandler = index >= calls;
			const some = fromHandler ? NAMES.filter((endpoint) => ENDPOINTS[endpoint].users.length > 0) : NAMES;
			return some.map((endpoint) => ({ endpoint, index, fromHandler }));
		}).flat();
		// Loaded now: compiling them later would stop the clocks of the cases under way.
		for (const kind of Object.keys(KINDS)) handlerOf(kind);
		const server = await startHostileServer();
		const run = new Run(server, random);
		const grown = watchMemory();
		try {
			await atOnce(AT_ONCE, cases.entries(), async ([index, each]) => {
				await run.try(each);
				if (index % 2_000 === 1_999) progress(`${index + 1} of ${cases.length} cases`);
			});
		} finally {
			await run.close();
			await server.close();
		}
		const { spoilt: sent, longestFlood } = server.counts;
		const flooded = longestFlood > MAX_REPLY_BYTES + IN_FLIGHT_BYTES;
		const memory = [...grown(), ...(flooded ? [`${longestFlood} bytes of an endless reply were read`] : [])];
		const number = (value: number) => value.toLocaleString("en-US");
		const share = run.met / (calls * NAMES.length);
		return {
			load:
				`${number(sent)} spoilt replies on ${NAMES.length} endpoints: ${number(calls)} each to the client, and ` +
				`${number(operations)} operations of resources for each they use; ${KIND_COUNT} kinds`,
			figures: [
				none("crashes", run.crashes),
				none("hangs", run.hangs),
				none("unbounded memory", memory),
				none("secrets in a message", run.leaks),
				none("prototypes polluted", run.polluted),
				{
					what: "calls that met a spoilt reply",
					reached: `${(100 * share).toFixed(1)} %`,
					wanted: `${100 * LEAST_SHARE} %`,
					ok: share >= LEAST_SHARE,
				},
				all("valid replies between, taken", run.taken, run.taken + run.refused.length, run.refused),
			],
		};
	},
};

class Run {
	readonly crashes: string[] = [];
	readonly hangs: string[] = [];
	readonly leaks: string[] = [];
	readonly polluted: string[] = [];
	readonly refused: string[] = [];
	taken = 0;
	met = 0;
	// Not from the seed: a secret that two runs share would be no secret, and no choice depends on it.
	private readonly secrets: Secrets;
	private readonly leaking: (text: string) => boolean;
	/** Most cases are sent once, some may be repeated; valid ones have connections that no spoilt reply has touched. */
	private readonly clients: Readonly<Record<"once" | "again" | "slow" | "valid", DataChainClient>>;

	constructor(
		private readonly server: HostileServer,
		private readonly random: Random,
	) {
		const draw = () => randomBytes(16).toString("hex");
		this.secrets = { token: `dcp_${draw()}`, environment: [draw(), draw()], password: draw() };
		this.leaking = leakFinder(this.secrets);
		const connection = { baseUrl: server.url, token: this.secrets.token, teamName: "nobody" };
		const limits = { maxReplyBytes: MAX_REPLY_BYTES, maxConnections: AT_ONCE, maxWaitMillis: 1_000 };
		const options = { ...limits, retryBudget: 1e9, random: () => 0 };
		const client = (maxAttempts: number, deadlineMillis: number) =>
			createClient(connection, { ...options, maxAttempts, deadlineMillis });
		this.clients = {
			once: client(1, DEADLINE),
			again: client(2, DEADLINE),
			slow: client(3, SLOW_DEADLINE),
			valid: client(5, 60_000),
		};
	}

	async try({ endpoint, index, fromHandler }: Case): Promise<void> {
		const { secrets, clients, server } = this;
		const random = this.random.fork(`${endpoint} ${index}`);
		const kind = drawKind(random);
		const name = `${fromHandler ? "resource over " : ""}${endpoint} case ${index}, ${kind}`;
		const team = { team_name: `case-${endpoint}-${index}` };
		const plan = {
			endpoint,
			met: false,
			reply: (valid: unknown, echo: string) => spoilt(kind, { valid, random, echo }),
		};
		server.plans.set(team.team_name, plan);
		const client = isSlow(kind) ? clients.slow : index % 4 === 0 ? clients.again : clients.once;
		const limit =
			(isSlow(kind) ? SLOW_DEADLINE : DEADLINE) * (fromHandler ? CALLS_PER_OPERATION : 1) + MARGIN;
		const say = (text: string) => this.leaking(text) && this.leaks.push(`${name}: in a notice`);
		const draws = random.fork("operation");
		const work = fromHandler
			? operate(
					providersFor(client, team.team_name, say),
					draws.pick(ENDPOINTS[endpoint].users),
					team,
					secrets,
					draws,
				)
			: ENDPOINTS[endpoint].call(client, team, secrets);
		const timer = setTimeout(() => this.hangs.push(`${name}: no end after ${limit} ms`), limit);
		await work.then(
			(value) => {
				if (isPolluted(value)) this.polluted.push(name);
				// What a check refuses is printed.
				const failures =
					typeof value === "object" && value !== null && "failures" in value ? value.failures : [];
				say(JSON.stringify(failures));
			},
			(error: unknown) => {
				const problem = strange(error, fromHandler);
				if (problem !== undefined) this.crashes.push(this.leaking(problem) ? name : `${name}: ${problem}`);
				// The text that leaked is not repeated: this report is a message too.
				if (this.leaking(visible(error))) this.leaks.push(`${name}: in an error`);
				if (isPolluted(undefined)) this.polluted.push(name);
			},
		);
		clearTimeout(timer);
		server.plans.delete(team.team_name);
		if (fromHandler) return;
		this.met += plan.met ? 1 : 0;
		if (index % 20 !== 0) return;
		// Proves that the calls reach the server and that a reply in order is taken.
		const valid = ENDPOINTS[endpoint].call(clients.valid, { team_name: "valid" }, secrets);
		const refusal = await valid.then(() => undefined, messageOf);
		if (refusal === undefined) this.taken += 1;
		else this.refused.push(`${endpoint}: ${refusal}`);
	}

	async close(): Promise<void> {
		await Promise.all(Object.values(this.clients).map((client) => client.close()));
	}
}

/** The providers of a process of its own, over a client that many share; nobody waits, because nothing will come later. */
function providersFor(client: DataChainClient, teamName: string, say: (text: string) => unknown) {
	let now = Date.now();
	const sleep = async (millis: number) => {
		now += millis;
	};
	const time = { now: () => now, sleep };
	const explicit = { baseUrl: "http://127.0.0.1:1", token: "unused", teamName };
	const context = createContext({ explicit, env: {} }, say, { time });
	const lists = teamLists(client, time, (list) => context.twins.look(list));
	return providersOf({ ...context, client, lists });
}
