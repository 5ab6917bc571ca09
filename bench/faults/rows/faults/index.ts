import { createClient, resolveConnection } from "../../../../src/api";
import { startServer } from "../../../../src/server";
import { closedPort } from "../../../../test/helpers/api-raw-server";
import { all, type Comparison, none, type Row, type RowResult } from "../../row";
import type { Contender } from "./contender";
import { type Elsewhere, runLane } from "./lane";
import { naiveClients } from "./naive-clients";
import { ourProvider } from "./our-provider";
import { drawPlan, FAULT_KINDS, type Step } from "./plan";
import { addTo, emptyTally, type Tally } from "./tally";

/** Each lane has a server of its own, so that a fault meets the operation it was drawn for. */
const COUNTS = { quick: { lanes: 75, steps: 2, slots: 1 }, full: { lanes: 40, steps: 25, slots: 3 } };

/** Measured once with the prototype that this provider began as; kept beside ours. */
const PROTOTYPE: Comparison = {
	who: "the prototype, 500 creates, 10 kinds of fault",
	outcome: "no retry 354 orphans; blind retry 421 duplicates; list, then retry 45; list with a grace poll 0",
};

export const faults: Row = {
	number: 2,
	name: "faults",
	async run({ scale, random, progress }): Promise<RowResult> {
		const { lanes, steps, slots } = COUNTS[scale];
		const pipelines = await pipelineNames();
		const plans = Array.from({ length: lanes }, (_, lane) =>
			drawPlan(random.fork(`lane ${lane}`), { lane, steps, slots, pipelines }),
		);
		const elsewhere = await placesWithoutService();
		const run = async (contender: Contender) => {
			const tally = await runPlans(contender, plans, random.seed, elsewhere);
			progress(`${contender.name}: ${summary(tally)}`);
			return tally;
		};
		// Together, because nearly all of the time is spent waiting.
		const [ours, ...others] = await Promise.all([ourProvider, ...naiveClients].map(run));
		const tally = ours ?? emptyTally();
		const operations = lanes * steps;
		const failed = [...tally.unsettled];
		return {
			load:
				`${operations.toLocaleString("en-US")} creates, updates, replacements and deletes, each with one of ` +
				`${FAULT_KINDS.length} kinds of fault; ${tally.again} failed at first and were run again`,
			figures: [
				none("schedules lost", tally.lost),
				none("schedules duplicated", tally.duplicated),
				none("schedules orphaned", tally.orphaned),
				all("operations that came to an end", operations - failed.length, operations, failed),
			],
			compared: [
				...naiveClients.map(({ name }, index) => ({
					who: `the same load, ${name}`,
					outcome: summary(others[index] ?? emptyTally()),
				})),
				PROTOTYPE,
			],
		};
	},
};

const summary = ({ lost, duplicated, orphaned }: Tally): string =>
	`lost ${lost.length}, duplicated ${duplicated.length}, orphaned ${orphaned.length}`;

async function runPlans(
	contender: Contender,
	plans: readonly (readonly Step[])[],
	seed: string,
	elsewhere: Elsewhere,
): Promise<Tally> {
	const tallies = await Promise.all(
		plans.map((steps, lane) => runLane(contender, steps, `${seed}/${contender.name}/${lane}`, elsewhere)),
	);
	const sum = emptyTally();
	for (const tally of tallies) addTo(sum, tally);
	return sum;
}

async function placesWithoutService(): Promise<Elsewhere> {
	return {
		closedPort: `http://127.0.0.1:${await closedPort()}/api`,
		// No label of a host name may be that long, so the resolver refuses it without asking anybody.
		unknownHost: `https://${"x".repeat(70)}.invalid/api`,
	};
}

/** The pipelines that every new local server has. */
async function pipelineNames(): Promise<string[]> {
	const server = await startServer();
	const client = createClient(resolveConnection({ env: server.environment }));
	try {
		const pipelines = await client.pipelines.list({ limit: 100 });
		return pipelines.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
	} finally {
		await client.close();
		await server.close();
	}
}
