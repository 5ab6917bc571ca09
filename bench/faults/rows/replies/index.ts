import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import {
	createClient,
	type DataChainClient,
	DataChainError,
} from "../../../../src/client";
import { UnclearError } from "../../../../src/operations/create-once";
import { handlerOf } from "../../../../src/provider/hosts/hosting";
import type { Props } from "../../../../src/provider/model/props";
import { endpoints } from "../../../../src/schemas/endpoints";
import { KINDS, type Kind } from "../../../../src/schemas/kinds";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { calls, JOB_ID, REPOSITORY, SECRETS } from "../../../../test/helpers/api-calls";
import {
	onLoopback,
	type RecordedRequest,
	rawServer,
} from "../../../../test/helpers/raw-server";
import { Process, urnOf } from "../../../../test/model/process";
import type { Random } from "../../../../test/model/random";
import { atOnce, type Row } from "../../row";
import { KIND_COUNT, spoilt, type WireReply, whole } from "./spoil";

/** Replies to the client for each endpoint, and operations of each kind of resource in which one reply is spoilt. */
const COUNTS = {
	quick: { calls: 205, operations: 120 },
	full: { calls: 10_000, operations: 6_000 },
};
const RESOURCES = Object.keys(KINDS) as Kind[];
const NAMES = Object.keys(endpoints) as EndpointName[];
const LANES = 48;
const DEADLINE_MILLIS = 5_000;
const OPTIONS = {
	...{
		maxReplyBytes: 256 * 1024,
		deadlineMillis: DEADLINE_MILLIS,
		maxWaitMillis: 1_000,
	},
	...{ retryBudget: 1e9, random: () => 0 },
};
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
			Array.from({ length: count }, (_, index) =>
				of.map((subject) => ({ subject, index })),
			).flat();
		const cases = [
			...inTurn(counts.calls, NAMES),
			...inTurn(counts.operations, RESOURCES),
		];
		// Loaded now: compiling them later would stop the clocks of the cases under way.
		for (const kind of RESOURCES) handlerOf(kind);
		const server = await startSpoiling();
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
		const number = (value: number) => value.toLocaleString("en-US");
		const of = counts.calls * NAMES.length;
		return {
			load:
				`${number(run.met)} of ${number(of)} calls of ${NAMES.length} endpoints met a spoilt reply, and ` +
				`${number(counts.operations)} operations of each kind of resource were tried; ${KIND_COUNT} kinds`,
			figures: [
				...Object.entries(run.found).map(([what, found]) => ({ what, cases: found })),
				{
					what: "far too few calls that met one",
					cases: run.met < LEAST_SHARE * of ? [`${run.met} of ${of}`] : [],
				},
			],
		};
	},
};

/** What becomes of one team's requests; a case travels as the team, which every request names. */
interface Plan {
	/** So many requests are answered as they should be; the next one names the endpoint whose replies are spoilt. */
	skip: number;
	endpoint?: EndpointName | undefined;
	reply(valid: unknown, echo: string): WireReply;
	met: boolean;
}

type Spoiling = Awaited<ReturnType<typeof startSpoiling>>;

const PATTERNS = NAMES.map((name) => {
	const { method, path } = endpoints[name];
	return {
		name,
		pattern: new RegExp(`^${method} /api${path.replace(/\{\w+\}/g, "[^/]+")}$`),
	};
});

/** A server of the replies in api-calls, some of them spoilt. */
async function startSpoiling() {
	/** By team; what has no plan is answered as it should be. */
	const plans = new Map<string, Plan>();
	const answer = ({
		method,
		path,
		query,
		headers,
		body,
	}: RecordedRequest): WireReply => {
		const team =
			new Map(query).get("team_name") ?? /"team_name":"([^"]*)"/.exec(body)?.[1] ?? "";
		const endpoint = PATTERNS.find(({ pattern }) =>
			pattern.test(`${method} ${path}`),
		)?.name;
		const valid = endpoint && calls[endpoint].reply;
		const plan = plans.get(team);
		if (plan !== undefined && plan.skip-- <= 0) plan.endpoint ??= endpoint;
		if (plan?.endpoint !== endpoint || plan === undefined)
			return whole(200, JSON.stringify(valid ?? {}));
		plan.met = true;
		// The token and the body are what a careless service would repeat.
		return plan.reply(valid, `${headers.authorization} ${body}`);
	};
	const { http, requests } = rawServer(({ request, socket }) => {
		const { bytes, close } = answer(request);
		socket.write(bytes);
		if (close) socket.end();
		requests.length = 0;
	});
	return { ...(await onLoopback(http)), plans };
}

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
	private readonly pieces = [
		this.token,
		...Object.values(SECRETS.environment),
		SECRETS.password,
	].flatMap((secret) => secret.match(/\w{8}/g) ?? []);
	private readonly clients = new Map<string, DataChainClient>();

	constructor(
		private readonly server: Spoiling,
		private readonly random: Random,
	) {}

	async try(
		{ subject, index }: { subject: (typeof NAMES)[number] | Kind; index: number },
		team: string,
	): Promise<void> {
		const random = this.random.fork(`${subject} ${index}`);
		let name = `${subject} case ${index}`;
		const plan = {
			skip: isKind(subject) ? random.integer(0, 3) : 0,
			reply: (valid: unknown, echo: string) => {
				const { kind, ...reply } = spoilt({ valid, random, echo });
				name = `${subject} case ${index}, ${kind}`;
				return reply;
			},
			met: false,
		};
		this.server.plans.set(team, plan);
		// Most cases are sent once, some may be repeated.
		const maxAttempts = index % 4 === 0 ? 2 : 1;
		const longest =
			DEADLINE_MILLIS * (isKind(subject) ? CALLS_PER_OPERATION : 1) + MARGIN;
		/** The text that leaked is not repeated: this report is a message too. */
		const say = (text: string) =>
			void (this.leaks(text) && this.found["secrets in a message"].push(name));
		const work = isKind(subject)
			? this.operation(subject, team, maxAttempts, random.fork("operation"), say)
			: calls[subject].run(this.client(team, maxAttempts));
		const timer = setTimeout(
			() => this.found.hangs.push(`${name}: no end after ${longest} ms`),
			longest,
		);
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

	private client(teamName: string, maxAttempts: number): DataChainClient {
		const key = `${teamName} ${maxAttempts}`;
		const connection = { baseUrl: this.server.url, token: this.token, teamName };
		const client =
			this.clients.get(key) ?? createClient(connection, { ...OPTIONS, maxAttempts });
		this.clients.set(key, client);
		return client;
	}

	/** In a process of its own, where nobody waits, because nothing will come later. */
	private async operation(
		kind: Kind,
		team: string,
		maxAttempts: number,
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
		const process = new Process({
			env,
			...OPTIONS,
			maxAttempts,
			time: { now: () => now, sleep },
		});
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
	return [
		error.message,
		error.stack,
		inspect(shown, { depth: 6 }),
		JSON.stringify(shown),
	].join("\n");
}

/** Why an error is not one of those we throw on purpose; undefined where it is. */
function strange(error: unknown, fromHandler: boolean): string | undefined {
	if (error instanceof DataChainError && error.message !== "") return undefined;
	if (!(error instanceof Error)) return inspect(error);
	// The handlers write their own refusals as plain errors, or say that an outcome is unclear; a TypeError or its kin is
	// never on purpose.
	const isOurs = error.constructor === Error || error instanceof UnclearError;
	const refusal = isOurs && error.message.length > 20;
	return fromHandler && refusal
		? undefined
		: `${error.constructor.name}: ${error.message.slice(0, 200)}`;
}

const PROTOTYPES = [Object, Array, Function, String, Number].map(
	({ prototype }) => prototype as object,
);
const known = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** True where a built-in prototype has gained or lost a property, or something in the result has one of the reply's. */
const isPolluted = (value: unknown): boolean =>
	PROTOTYPES.some(
		(prototype, index) => Reflect.ownKeys(prototype).length !== known[index],
	) || hasForeignPrototype(value, { steps: 2_000 });

function hasForeignPrototype(value: unknown, left: { steps: number }): boolean {
	if (typeof value !== "object" || value === null || left.steps-- <= 0) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (
		prototype !== Object.prototype &&
		prototype !== Array.prototype &&
		prototype !== null
	)
		return true;
	return Object.values(value).some((inside) => hasForeignPrototype(inside, left));
}

/** Some operation of a resource, with inputs that lead through one branch or another. */
async function operate(
	process: Process,
	kind: Kind,
	teamName: string,
	random: Random,
): Promise<unknown> {
	const provider = process.serve(kind);
	const { schedule_name, cron_expression, pipeline } = calls.getSchedule.reply;
	const pipelineName = pipeline?.name;
	const { environment, password } = SECRETS;
	const secret = { environment, repository: REPOSITORY };
	// A kind without a line here is only read and deleted.
	const of: Readonly<Partial<Record<Kind, Props>>> = {
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
	const paused =
		isOfPipeline && random.chance(0.5) ? { paused: random.chance(0.5) } : {};
	const adopt = isOfPipeline ? { adopt: random.chance(0.7) } : {};
	const props = {
		...of[kind],
		...paused,
		...adopt,
		teamName,
		__urn: urnOf(kind, "one"),
	};
	const ids: Partial<Record<Kind, string>> = {
		PipelineSettings: `${teamName}/${pipelineName}`,
		Job: JOB_ID,
	};
	const id = ids[kind] ?? "7";
	const operations = [
		() => provider.check({}, props),
		async () => provider.create((await provider.check({}, props)).inputs),
		() => provider.read(id, props),
		() =>
			provider.update(
				id,
				{ ...props, cronExpression: "5 5 * * *", environment: {} },
				props,
			),
		() => provider.delete(id, props),
	];
	return random.pick(operations)();
}
