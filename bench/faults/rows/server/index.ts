import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { messageOf } from "../../process";
import type { Random } from "../../random";
import { all, none, type Row } from "../../row";
import { type ServerChild, startServe } from "../../server-child";
import { keyOf, Ledger, written } from "./ledger";
import { Service } from "./service";

const KILLS = { quick: 6, full: 50 };
/** How many writes each of the 32 writers does where nobody kills. */
const WRITES = { quick: 25, full: 300 };
/** On a slow disk a hundred writes may take longer; then the kill comes before them. */
const MOST_MILLIS = 1_500;

/** The local server, killed under load and written to by many at once: what it has acknowledged stays. */
export const server: Row = {
	number: 10,
	name: "server",
	async run({ scale, random, progress }) {
		const folder = tempFolder("bench-server-");
		const dataFile = join(folder.path, "team.json");
		const killed = new Ledger();
		const crowd = new Ledger();
		const failures: string[] = [];
		let underLoad = 0;
		try {
			for (let round = 0; round < KILLS[scale]; round++) {
				const draws = random.fork(`round ${round}`);
				underLoad += await withServer(dataFile, killed, round, (child, service) =>
					new Load(service, killed, draws, round).untilKilled(() => child.kill()),
				);
			}
			await withServer(dataFile, killed, KILLS[scale], async () => 0);
			progress(`${underLoad} of ${KILLS[scale]} kills under load; 32 writers at once`);
			await withServer(join(folder.path, "crowd.json"), crowd, 0, async (_, service) => {
				await new Load(service, crowd, random.fork("crowd"), 0).toTheEnd(WRITES[scale]);
				await crowd.compare(service, "after 32 writers", false);
				return 0;
			});
		} catch (error) {
			failures.push(messageOf(error));
		} finally {
			folder.remove();
		}
		const count = (ledger: Ledger): string => ledger.acknowledged.toLocaleString("en");
		return {
			load: `${KILLS[scale]} SIGKILLs during ${count(killed)} acknowledged writes; 32 writers, ${count(crowd)} writes`,
			figures: [
				all("kills under load, each with a restart after it", underLoad, KILLS[scale], failures),
				none("acknowledged writes lost", killed.lost),
				none("half-written objects", [...killed.torn, ...crowd.torn]),
				none("ids given out twice, or objects made twice", killed.duplicates),
				none("32 writers: lost updates", [...crowd.lost, ...failures]),
				none("32 writers: ids given out twice", crowd.duplicates),
			],
		};
	},
};

/** Starts over the data file, checks what the last kill left, and works. */
async function withServer(
	dataFile: string,
	ledger: Ledger,
	round: number,
	work: (child: ServerChild, service: Service) => Promise<number>,
): Promise<number> {
	const child = await startServe(dataFile);
	try {
		const service = new Service(child);
		ledger.compareFile(dataFile, `after kill ${round}`);
		await ledger.compare(service, `after kill ${round}`, round === 0);
		return await work(child, service);
	} finally {
		await child.kill();
	}
}

/** Writers that share a server. */
class Load {
	#done = 0;
	#stopped = false;
	#onDone: () => void = () => {};

	constructor(
		private readonly service: Service,
		private readonly ledger: Ledger,
		private readonly random: Random,
		private readonly round: number,
	) {}

	/** Goes on until the server is gone; answers whether writes were under way when the kill struck. */
	async untilKilled(kill: () => Promise<void>): Promise<number> {
		const writers = Array.from({ length: 16 }, (_, writer) => this.#write(writer, 10_000));
		await this.#moment();
		const { underWay } = this.service;
		this.#stopped = true;
		await kill();
		await Promise.all(writers);
		return underWay > 0 ? 1 : 0;
	}

	async toTheEnd(writes: number): Promise<void> {
		await Promise.all(Array.from({ length: 32 }, (_, writer) => this.#write(writer, writes)));
	}

	/** The instant at which a random write is acknowledged, the earliest it could be lost, or some time after it. */
	async #moment(): Promise<void> {
		const later = this.random.chance(0.5);
		const at = later ? 1 : this.random.integer(1, 100);
		const reached = new Promise<void>((resolve) => {
			this.#onDone = () => this.#done >= at && resolve();
		});
		await Promise.race([reached, sleep(MOST_MILLIS, undefined, { ref: false })]);
		if (later) await sleep(this.random.integer(1, 400));
	}

	async #write(writer: number, writes: number): Promise<void> {
		const random = this.random.fork(`writer ${writer}`);
		const mine: number[] = [];
		for (let at = 0; at < writes && !this.#stopped; at++) {
			try {
				await this.#writeOnce(random, writer, this.round * 10_000 + at, mine);
				this.#done++;
				this.#onDone();
			} catch (error) {
				// Not acknowledged: the ledger still has both versions. Before the kill nothing may fail.
				if (!this.#stopped) this.ledger.lost.push(`round ${this.round}: a write failed: ${messageOf(error)}`);
				return;
			}
		}
	}

	async #writeOnce(random: Random, writer: number, version: number, mine: number[]): Promise<void> {
		const { ledger, service } = this;
		const label = `w${writer}-v${version}`;
		// Each of two writers owns one of the shared settings: a write of one must not undo the other.
		if (writer === 0 && random.chance(0.5))
			return ledger.write("python", `3.${version}`, () =>
				service.settings({ python_version: `3.${version}` }),
			);
		if (writer === 1 && random.chance(0.5))
			return ledger.write("workers", String(version), () => service.settings({ workers: version }));
		const kind =
			mine.length === 0 ? "create" : random.pick(["create", "update", "update", "delete", "upload"]);
		const id = mine[random.integer(0, Math.max(0, mine.length - 1))] ?? 0;
		if (kind === "create") {
			mine.push(await ledger.create(label, version, () => service.create(written(label, version))));
		} else if (kind === "update") {
			await ledger.write(keyOf(id), String(version), () => service.update(id, written(label, version)));
		} else if (kind === "delete") {
			mine.splice(mine.indexOf(id), 1);
			await ledger.write(keyOf(id), "gone", () => service.remove(id));
		} else {
			await ledger.upload(label, () => service.upload(label));
		}
	}
}
