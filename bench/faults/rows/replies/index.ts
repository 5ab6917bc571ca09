import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { createClient, type DataChainClient, DataChainError } from "../../../../src/api";
import type { Props } from "../../../../src/provider/handler";
import { handlerOf } from "../../../../src/provider/hosting";
import { UnclearError } from "../../../../src/provider/outcome";
import { KINDS, type Kind } from "../../../../src/schemas/kinds";
import { calls, JOB_ID, REPOSITORY, SECRETS } from "../../../../test/helpers/api-calls";
import { Process, urnOf } from "../../process";
import type { Random } from "../../random";
import { atOnce, none, type Row } from "../../row";
import { type HostileServer, NAMES, startHostileServer } from "./hostile-server";
import { drawKind, isSlow, KIND_COUNT, spoilt } from "./spoil";

/** Replies to the client for each endpoint, and operations of each kind of resource in which one reply is spoilt. */
const COUNTS = { quick: { calls: 205, operations: 120 }, full: { calls: 10_000, operations: 6_000 } };
const RESOURCES = Object.keys(KINDS) as Kind[];
const LANES = 48;
const MAX_REPLY_BYTES = 256 * 1024;
/** What the system may hold of an endless reply after the client hung up. */
const IN_FLIGHT_BYTES = 16 * 1024 * 1024;
/** Most cases are sent once, some may be repeated. */
const LIMITS = {
	once: { maxAttempts: 1, deadlineMillis: 5_000 },
	again: { maxAttempts: 2, deadlineMillis: 5_000 },
	slow: { maxAttempts: 3, deadlineMillis: 300 },
};
const OPTIONS = { maxReplyBytes: MAX_REPLY_BYTES, maxWaitMillis: 1_000, retryBudget: 1e9, random: () => 0 };
/** A busy machine is late by this much, and no more. */
const MARGIN = 5_000;
/** The most calls that one operation of a resource makes one after another. */
const CALLS_PER_OPERATION = 25;
/** A connection that the case before has spoilt may break before the request is read. */
const LEAST_SHARE = 0.95;

/** Spoilt replies for every endpoint, to the client and to the handlers. */
export const replies: Row = {
	number: 1,
	name: "replies",
	async run({ scale, random, progress }) {
		const counts = COUNTS[scale];
		// One after another in turn, so that every connection sees all of them.
		const inTurn = <Subject>(count: number, of: readonly Subject[]) =>
			Array.from({ length: count }, (_, index) => of.map((subject) => ({ subject, index }))).flat();
		const cases = [...inTurn(counts.calls, NAMES), ...inTurn(counts.operations, RESOURCES)];
		// Loaded now: compiling them later would stop the clocks of the cases under way.
		for (const kind of RESOURCES) handlerOf(kind);
		const server = await startHostileServer();
		const run = new Run(server, random);
		try {
			await atOnce(LANES, cases.entries(), async ([index, each], lane) => {
				await run.try(each, `lane-${lane}`);
				if (index % 2_000 === 1_999) progress(`${index + 1} of ${cases.length} cases`);
			});
		} finally {
			await run.close();
			await server.close();
		}
		const { spoilt: sent, longestFlood } = server.counts;
		const isBounded = longestFlood <= MAX_REPLY_BYTES + IN_FLIGHT_BYTES;
		const number = (value: number) => value.toLocaleString("en-US");
		const share = run.met / (counts.calls * NAMES.length);
		return {
			load:
				`${number(sent)} spoilt replies on ${NAMES.length} endpoints: ${number(counts.calls)} each to the client, and ` +
				`${number(counts.operations)} operations of each kind of resource; ${KIND_COUNT} kinds`,
			figures: [
				...Object.entries(run.found).map(([what, found]) => none(what, found)),
				none(
					"endless replies that were read on",
					isBounded ? [] : [`${longestFlood} bytes of one were read`],
				),
				{
					what: "calls that met a spoilt reply",
					reached: `${(100 * share).toFixed(1)} %`,
					wanted: `${100 * LEAST_SHARE} %`,
					ok: share >= LEAST_SHARE,
				},
			],
		};
	},
};

const isKind = (subject: string): subject is Kind => Object.hasOwn(KINDS, subject);

class Run {
	readonly found = {
		crashes: [] as string[],
		hangs: [] as string[],
		"secrets in a message": [] as string[],
		"prototypes polluted": [] as string[],
	};
	met = 0;
	private readonly token = `dcp_${randomBytes(16).toString("hex")}`;
	/** Any eight characters of a secret that show up in a message have leaked. */
	private readonly pieces = [this.token, ...Object.values(SECRETS.environment), SECRETS.password].flatMap(
		(secret) => secret.match(/\w{8}/g) ?? [],
	);
	private readonly clients = new Map<string, DataChainClient>();

	constructor(
		private readonly server: HostileServer,
		private readonly random: Random,
	) {}

	async try(
		{ subject, index }: { subject: (typeof NAMES)[number] | Kind; index: number },
		team: string,
	): Promise<void> {
		const random = this.random.fork(`${subject} ${index}`);
		const kind = drawKind(random);
		const name = `${subject} case ${index}, ${kind}`;
		const plan = {
			skip: isKind(subject) ? random.integer(0, 3) : 0,
			reply: (valid: unknown, echo: string) => spoilt(kind, { valid, random, echo }),
			met: false,
		};
		this.server.plans.set(team, plan);
		const limits = isSlow(kind) ? "slow" : index % 4 === 0 ? "again" : "once";
		const longest = LIMITS[limits].deadlineMillis * (isKind(subject) ? CALLS_PER_OPERATION : 1) + MARGIN;
		/** The text that leaked is not repeated: this report is a message too. */
		const say = (text: string) => void (this.leaks(text) && this.found["secrets in a message"].push(name));
		const work = isKind(subject)
			? this.operation(subject, team, limits, random.fork("operation"), say)
			: calls[subject].run(this.client(team, limits));
		const timer = setTimeout(() => this.found.hangs.push(`${name}: no end after ${longest} ms`), longest);
		await work.then(
			(value) => {
				if (isPolluted(value)) this.found["prototypes polluted"].push(name);
				// What a check refuses is printed.
				say(JSON.stringify(Object(value).failures ?? []));
			},
			(error: unknown) => {
				const problem = strange(error, isKind(subject));
				if (problem !== undefined)
					this.found.crashes.push(this.leaks(problem) ? name : `${name}: ${problem}`);
				say(visible(error));
				if (isPolluted(undefined)) this.found["prototypes polluted"].push(name);
			},
		);
		clearTimeout(timer);
		this.server.plans.delete(team);
		if (!isKind(subject) && plan.met) this.met += 1;
	}

	async close(): Promise<void> {
		await Promise.all([...this.clients.values()].map((client) => client.close()));
	}

	private leaks(text: string): boolean {
		return this.pieces.some((piece) => text.includes(piece));
	}

	private client(teamName: string, limits: keyof typeof LIMITS): DataChainClient {
		const key = `${teamName} ${limits}`;
		const connection = { baseUrl: this.server.url, token: this.token, teamName };
		const client = this.clients.get(key) ?? createClient(connection, { ...OPTIONS, ...LIMITS[limits] });
		this.clients.set(key, client);
		return client;
	}

	/** In a process of its own, where nobody waits, because nothing will come later. */
	private async operation(
		kind: Kind,
		team: string,
		limits: keyof typeof LIMITS,
		random: Random,
		say: (text: string) => void,
	): Promise<unknown> {
		let now = Date.now();
		const sleep = async (millis: number) => {
			now += millis;
		};
		const env = {
			DATACHAIN_STUDIO_URL: this.server.url,
			DATACHAIN_STUDIO_TOKEN: this.token,
			DATACHAIN_STUDIO_TEAM: team,
		};
		const options = { ...OPTIONS, ...LIMITS[limits], time: { now: () => now, sleep } };
		const process = new Process({ env, ...options });
		try {
			return await operate(process, kind, team, random);
		} finally {
			for (const line of process.notices) say(line);
			await process.close();
		}
	}
}

/** Everything a person or a log could see of an error; what a half-done write keeps for the state is in `properties`. */
function visible(error: unknown): string {
	if (!(error instanceof Error)) return inspect(error);
	const { properties, ...shown } = error as Error & { properties?: unknown };
	return [error.message, error.stack, inspect(shown, { depth: 6 }), JSON.stringify(shown)].join("\n");
}

/** Why an error is not one of those we throw on purpose; undefined where it is. */
function strange(error: unknown, fromHandler: boolean): string | undefined {
	if (error instanceof DataChainError && error.message !== "") return undefined;
	if (!(error instanceof Error)) return inspect(error);
	// The handlers write their own refusals as plain errors, or say that an outcome is unclear; a TypeError or its kin is
	// never on purpose.
	const isOurs = error.constructor === Error || error instanceof UnclearError;
	const refusal = isOurs && error.message.length > 20;
	return fromHandler && refusal ? undefined : `${error.constructor.name}: ${error.message.slice(0, 200)}`;
}

const PROTOTYPES = [Object, Array, Function, String, Number].map(({ prototype }) => prototype as object);
const known = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** True where a built-in prototype has gained or lost a property, or something in the result has one of the reply's. */
const isPolluted = (value: unknown): boolean =>
	PROTOTYPES.some((prototype, index) => Reflect.ownKeys(prototype).length !== known[index]) ||
	hasForeignPrototype(value, { steps: 2_000 });

function hasForeignPrototype(value: unknown, left: { steps: number }): boolean {
	if (typeof value !== "object" || value === null || left.steps-- <= 0) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return true;
	return Object.values(value).some((inside) => hasForeignPrototype(inside, left));
}

/** Some operation of a resource, with inputs that lead through one branch or another. */
async function operate(process: Process, kind: Kind, teamName: string, random: Random): Promise<unknown> {
	const provider = process.serve(kind);
	const { schedule_name, cron_expression, pipeline } = calls.getSchedule.reply;
	const pipelineName = pipeline?.name;
	const { environment, password } = SECRETS;
	const secret = { environment, repository: REPOSITORY };
	const of: Readonly<Record<Kind, Props>> = {
		PipelineSchedule: {
			scheduleName: random.pick([schedule_name, "not there yet"]),
			pipelineName,
			cronExpression: random.pick([cron_expression, "1 1 1 1 1"]),
		},
		PipelineSettings: { pipelineName, onDestroy: "restore", ...secret },
		JobFile: { text: password, name: "a.txt" },
		Pipeline: { datasets: ["dev.images.raw"], start: random.chance(0.5) },
		Job: { query: `print("${password}")`, ...secret },
	};
	const isOfPipeline = kind === "PipelineSchedule" || kind === "PipelineSettings";
	const paused = isOfPipeline && random.chance(0.5) ? { paused: random.chance(0.5) } : {};
	const adopt = isOfPipeline ? { adopt: random.chance(0.7) } : {};
	const props = { ...of[kind], ...paused, ...adopt, teamName, __urn: urnOf(kind, "one") };
	const ids: Partial<Record<Kind, string>> = { PipelineSettings: `${teamName}/${pipelineName}`, Job: JOB_ID };
	const id = ids[kind] ?? "7";
	const operations = [
		() => provider.check({}, props),
		async () => provider.create((await provider.check({}, props)).inputs),
		() => provider.read(id, props),
		() => provider.update(id, { ...props, cronExpression: "5 5 * * *", environment: {} }, props),
		() => provider.delete(id, props),
	];
	return random.pick(operations)();
}
