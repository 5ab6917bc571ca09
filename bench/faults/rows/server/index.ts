import { all, none, type Row } from "../../row";
import { killAtRandomMoments } from "./kills";
import { manyWriters } from "./writers";

const KILLS = { quick: 6, full: 50 };
/** How often each of the 32 writers goes through its five writes. */
const ROUNDS = { quick: 5, full: 60 };

/** The local server, killed under load and written to by many at once: what it has acknowledged stays. */
export const server: Row = {
	number: 10,
	name: "server",
	async run(context) {
		const wanted = KILLS[context.scale];
		const { ledger, kills, underLoad, failures } = await killAtRandomMoments(context, wanted);
		context.progress("32 writers at once");
		const writers = await manyWriters(ROUNDS[context.scale]);
		const count = (n: number): string => n.toLocaleString("en");
		return {
			load: `${kills} SIGKILLs during ${count(ledger.acknowledged)} acknowledged writes; 32 writers, ${count(writers.writes)} writes`,
			figures: [
				all("kills under load, each with a restart after it", Math.min(kills, underLoad), wanted, failures),
				none("acknowledged writes lost", ledger.lost),
				none("half-written objects", ledger.torn),
				none("ids given out twice, or objects made twice", ledger.duplicates),
				none("32 writers: lost updates", writers.lost),
				none("32 writers: ids given out twice", writers.duplicates),
			],
		};
	},
};
