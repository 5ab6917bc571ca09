import { createClient, type DataChainClient } from "../../../../src/api";
import { endpoints } from "../../../../src/schemas/endpoints";
import type { EndpointName } from "../../../../src/schemas/wire/endpoints";
import { CALLS, type Canaries } from "./calls";
import { OPERATIONS } from "./handler-calls";
import { caseRandom, caseTeam, VALID_TEAM } from "./hostile-server";
import { watchMemory } from "./memory";
import { hasForeignPrototype, isPolluted, leakFinder, noFindings, strange, visible } from "./watch";
import { drawKind, isSlow } from "./wire";

/** What the bench tells this process to do. */
export interface Task {
	readonly url: string;
	readonly seed: string;
	readonly canaries: Canaries;
	readonly perEndpoint: number;
	readonly perOperation: number;
	readonly maxReplyBytes: number;
}

const AT_ONCE = 48;
const SLOW_DEADLINE = 300;
const DEADLINE = 5_000;
/** A busy machine is late by this much, and no more. */
const MARGIN = 4_000;
/** The most calls that one operation of a resource makes one after another. */
const CALLS_PER_OPERATION = 10;

const findings = noFindings();

async function main(task: Task): Promise<void> {
	// Each of the many errors would otherwise be traced back to its TypeScript.
	Error.stackTraceLimit = 3;
	process.on("uncaughtException", (error) => findings.crashes.push(`uncaught: ${String(error)}`));
	process.on("unhandledRejection", (error) => findings.crashes.push(`unhandled: ${String(error)}`));
	const cases = casesOf(task);
	// The first cases load code and open connections; growth is counted from there.
	await runAll(task, cases.slice(0, 500));
	const memory = watchMemory(findings);
	await runAll(task, cases.slice(500), (done) => process.send?.({ progress: done + 500, of: cases.length }));
	memory.end();
	await new Promise<void>((resolve) => {
		process.send?.({ findings }, () => resolve());
	});
}

interface Case {
	readonly endpoint: EndpointName;
	readonly index: number;
	readonly fromHandler: boolean;
}

/** Endpoint after endpoint in turn, so that every connection sees all of them. */
function casesOf({ perEndpoint, perOperation }: Task): Case[] {
	const names = Object.keys(endpoints) as EndpointName[];
	const round = (index: number, fromHandler: boolean): Case[] =>
		names
			.filter((endpoint) => !fromHandler || OPERATIONS[endpoint] !== undefined)
			.map((endpoint) => ({ endpoint, index, fromHandler }));
	return [
		...Array.from({ length: perEndpoint }, (_, index) => round(index, false)).flat(),
		...Array.from({ length: perOperation }, (_, index) => round(perEndpoint + index, true)).flat(),
	];
}

async function runAll(task: Task, cases: readonly Case[], onProgress = (_done: number) => {}): Promise<void> {
	const clients = clientsFor(task);
	let next = 0;
	const work = async (): Promise<void> => {
		while (next < cases.length) {
			const current = cases[next];
			next += 1;
			if (current) await runCase(task, clients, current);
			if (next % 1_000 === 0) onProgress(next);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	await Promise.all(Object.values(clients).map((client) => client.close()));
}

type Clients = Readonly<Record<"once" | "again" | "slow" | "valid", DataChainClient>>;

/** Most cases are sent once, some may be repeated; valid ones have connections that no spoilt reply has touched. */
function clientsFor({ url, canaries, maxReplyBytes }: Task): Clients {
	const settings = { baseUrl: url, token: canaries.token, teamName: "nobody" };
	const options = {
		maxReplyBytes,
		maxConnections: AT_ONCE,
		deadlineMillis: DEADLINE,
		retryBudget: 1e9,
		random: () => 0,
	};
	return {
		once: createClient(settings, { ...options, maxAttempts: 1 }),
		again: createClient(settings, { ...options, maxAttempts: 2 }),
		slow: createClient(settings, { ...options, maxAttempts: 3, deadlineMillis: SLOW_DEADLINE }),
		valid: createClient(settings, { ...options, deadlineMillis: 60_000 }),
	};
}

async function runCase(task: Task, clients: Clients, { endpoint, index, fromHandler }: Case): Promise<void> {
	const random = caseRandom(task.seed, endpoint, index);
	const kind = drawKind(random);
	const client = isSlow(kind) ? clients.slow : index % 4 === 0 ? clients.again : clients.once;
	const team = caseTeam(endpoint, index);
	const name = `${fromHandler ? "resource over " : ""}${endpoint} case ${index}, ${kind}`;
	const deadline = isSlow(kind) ? SLOW_DEADLINE : DEADLINE;
	const limit = deadline * (fromHandler ? CALLS_PER_OPERATION : 1) + MARGIN;
	const leaks = leakFinder(task.canaries);
	const say = (text: string) => {
		if (leaks(text)) findings.leaks.push(`${name}: in a message`);
	};
	const operation = fromHandler
		? caseRandom(task.seed, endpoint, -index).pick(OPERATIONS[endpoint] ?? [])
		: undefined;
	const run = operation
		? () => operation({ client, team, canaries: task.canaries, say })
		: () => CALLS[endpoint](client, team, task.canaries, {});
	const started = performance.now();
	const ended = await settle(run, limit);
	if (ended.how === "never") findings.hangs.push(`${name}: no end after ${limit} ms`);
	else if (performance.now() - started > limit) findings.hangs.push(`${name}: ended after its limit`);
	if (ended.how === "failed") judge(name, ended.error, fromHandler, leaks);
	if (ended.how === "done" && hasForeignPrototype(ended.value)) findings.polluted.push(name);
	count(ended.how === "failed" && ended.error instanceof Error ? ended.error.name : ended.how);
	if (isPolluted()) findings.polluted.push(`${name}: a built-in prototype changed`);
	if (!fromHandler && index % 20 === 0) await runValid(clients.valid, endpoint, task.canaries);
}

const count = (outcome: string): void => {
	findings.outcomes[outcome] = (findings.outcomes[outcome] ?? 0) + 1;
};

function judge(name: string, error: unknown, fromHandler: boolean, leaks: (text: string) => boolean): void {
	const problem = strange(error, fromHandler);
	if (problem !== undefined) findings.crashes.push(leaks(problem) ? name : `${name}: ${problem}`);
	// The text that leaked is not repeated: this report is a message too.
	if (leaks(visible(error)))
		findings.leaks.push(`${name}: in ${error instanceof Error ? error.name : "an error"}`);
}

type Ended = { how: "done"; value: unknown } | { how: "failed"; error: unknown } | { how: "never" };

async function settle(run: () => Promise<unknown>, limit: number): Promise<Ended> {
	let timer: NodeJS.Timeout | undefined;
	const never = new Promise<Ended>((resolve) => {
		timer = setTimeout(() => resolve({ how: "never" }), limit);
	});
	const ended = run().then(
		(value): Ended => ({ how: "done", value }),
		(error: unknown): Ended => ({ how: "failed", error }),
	);
	const first = await Promise.race([ended, never]);
	clearTimeout(timer);
	return first;
}

/** Proves that the calls reach the server and that a reply in order is taken. */
async function runValid(client: DataChainClient, endpoint: EndpointName, canaries: Canaries): Promise<void> {
	try {
		await CALLS[endpoint](client, VALID_TEAM, canaries, {});
		findings.validTaken += 1;
	} catch (error) {
		findings.validRefused.push(`${endpoint}: ${error instanceof Error ? error.message : String(error)}`);
	}
}

process.once("message", (task) => {
	main(task as Task).then(
		() => process.disconnect(),
		(error: unknown) => {
			console.error(error);
			process.exit(1);
		},
	);
});
