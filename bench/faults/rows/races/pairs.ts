import { createClient, type DataChainClient } from "../../../../src/api";
import { providerStub } from "../../../../src/boundary/stub";
import type { LocalServer } from "../../../../src/server";
import type { Random } from "../../random";
import type { Host, Props } from "./host";

export interface Pairs {
	/** Names that more than one schedule has, or none. */
	readonly twins: string[];
	/** Errors that say which schedule, why, and what to do. */
	readonly clear: number;
	/** What happened instead. */
	readonly unclear: string[];
	/** Twins of a client that looks in the list and then creates. */
	readonly withoutLock: number;
}

/** Two resources of one program with one schedule name, created at the same moment, many times over. */
export async function namesakes(
	host: Host,
	server: LocalServer,
	count: number,
	random: Random,
): Promise<Pairs> {
	const names = Array.from({ length: count }, (_, index) => `pair-${index}`);
	const client = createClient({ baseUrl: server.url, token: server.token, teamName: server.teamName });
	// Wide enough a gap between looking and making for both to fall into it.
	const slow = server.faults.add({ kind: "delay", ms: 10 });
	try {
		const problems = (await Promise.all(names.map((name) => createPair(host, name, random)))).flat();
		const twins = await countTwins(client, names);
		const without = names.map((name) => `unlocked-${name}`);
		await Promise.all(without.flatMap((name) => [name, name]).map((name) => lookThenCreate(client, name)));
		const withoutLock = await countTwins(client, without);
		const unclear = problems.filter((problem) => problem !== "clear");
		const clear = problems.length - unclear.length;
		return { twins, clear, unclear, withoutLock: withoutLock.length };
	} finally {
		slow();
		await client.close();
	}
}

/** What the two of a pair met: one of them must be refused, and the other made. */
async function createPair(host: Host, name: string, random: Random): Promise<string[]> {
	const cron = "0 3 * * *";
	const other = random.pick([cron, "0 4 * * *"]);
	const adopt = random.chance(0.3) ? { adopt: true } : {};
	const declared = [cron, other].map((cronExpression) => ({
		scheduleName: name,
		pipelineName: "rusty-vise",
		cronExpression,
		...adopt,
		__provider: providerStub("schedule"),
	}));
	const ended = await Promise.all(declared.map((inputs) => create(host, inputs)));
	const refused = ended.filter((error) => error !== undefined);
	if (refused.length === 2) return [`${name}: both were refused: ${refused.join(" | ")}`];
	const [message = `${name}: neither was refused`] = refused;
	return [isClear(message, name) ? "clear" : message];
}

async function create(host: Host, inputs: Props): Promise<string | undefined> {
	try {
		await host.create(await host.check(inputs));
		return undefined;
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/** It names the schedule, says that another resource has it or that it differs, and what to change. */
const isClear = (message: string, name: string): boolean =>
	message.includes(`"${name}"`) &&
	/already managed by another resource|already exists/.test(message) &&
	/another scheduleName/.test(message);

async function countTwins(client: DataChainClient, names: readonly string[]): Promise<string[]> {
	const all = await client.schedules.list();
	return names.flatMap((name) => {
		const found = all.filter((item) => item.schedule_name === name).length;
		return found === 1 ? [] : [`"${name}" exists ${found} times`];
	});
}

async function lookThenCreate(client: DataChainClient, name: string): Promise<void> {
	const all = await client.schedules.list();
	if (all.some((item) => item.schedule_name === name)) return;
	await client.schedules.create({
		schedule_name: name,
		pipeline_name: "rusty-vise",
		cron_expression: "0 3 * * *",
	});
}
