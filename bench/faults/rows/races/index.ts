import { startServer } from "../../../../src/server";
import { all, none, type Row, type RowResult } from "../../row";
import { firstCalls } from "./first-calls";
import { startHost } from "./host";
import { namesakes } from "./pairs";

const FIRST_CALLS = 200;
const PAIRS = 100;

/** The same counts at every scale: they take seconds. */
export const races: Row = {
	number: 7,
	name: "races",
	async run({ random, progress }): Promise<RowResult> {
		const server = await startServer({ faults: true });
		const host = await startHost(server);
		try {
			const first = await firstCalls(host, server.teamName, FIRST_CALLS);
			progress(`${FIRST_CALLS} first calls: ${first.unconfigured.length} unconfigured`);
			const pairs = await namesakes(host, server, PAIRS, random.fork("pairs"));
			return {
				load:
					`${FIRST_CALLS} concurrent first calls, over gRPC and again within one tick, and ${PAIRS} pairs with one ` +
					"schedule name, all in Pulumi's own provider process",
				figures: [
					none("unconfigured calls", first.unconfigured),
					none("twins", pairs.twins),
					all("clear errors", pairs.clear, PAIRS, pairs.unclear),
				],
				compared: [
					{
						who: "a configure that waits",
						outcome: `${first.whereItWaits} of ${FIRST_CALLS} calls unconfigured`,
					},
					{ who: "list, then create, without a lock", outcome: `${pairs.withoutLock} of ${PAIRS} are twins` },
				],
			};
		} finally {
			await host.close();
			await server.close();
		}
	},
};
