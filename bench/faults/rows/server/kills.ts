import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempFolder } from "../../../../tools/process/temp-folder";
import type { Random } from "../../random";
import type { RowContext } from "../../row";
import { startServe } from "./child";
import { Ledger } from "./ledger";
import { Requests, written } from "./writes";

const WRITERS = 16;
/** On a slow disk a hundred writes may take longer; then the kill comes before them. */
const MOST_MILLIS = 1_500;

export interface KillOutcome {
	readonly ledger: Ledger;
	readonly kills: number;
	/** Kills that struck while at least one write was under way. */
	readonly underLoad: number;
	readonly failures: readonly string[];
}

/** Starts, checks what the last kill left, loads, kills; then once more to check the last one. */
export async function killAtRandomMoments(context: RowContext, kills: number): Promise<KillOutcome> {
	const folder = tempFolder("bench-server-");
	const dataFile = join(folder.path, "team.json");
	const random = context.random.fork("kills");
	const failures: string[] = [];
	let ledger: Ledger | undefined;
	let underLoad = 0;
	let done = 0;
	try {
		for (let round = 0; round <= kills; round++) {
			const server = await startServe(dataFile);
			try {
				const requests = new Requests(server);
				const when = `after kill ${round}`;
				const live = await requests.list();
				const settings = await requests.readSettings();
				ledger ??= new Ledger(live, settings);
				ledger.compareFolder(dataFile, when);
				ledger.compareFile(dataFile, when);
				ledger.compare(live, when);
				ledger.compareSettings(settings, when);
				if (round === kills) break;
				const load = new Load(requests, ledger, random.fork(`round ${round}`), round);
				if ((await load.runUntilKilled(() => server.kill())) > 0) underLoad++;
				done++;
			} finally {
				await server.kill();
			}
			if (round % 10 === 9) context.progress(`${done} of ${kills} kills`);
		}
	} catch (error) {
		failures.push(`after ${done} kills: ${error instanceof Error ? error.message : String(error)}`);
	} finally {
		folder.remove();
	}
	return {
		ledger: ledger ?? new Ledger([], { python_version: null, workers: null }),
		kills: done,
		underLoad,
		failures,
	};
}

/** Writers that go on until the server is gone under them. */
class Load {
	#acknowledged = 0;
	#stopped = false;
	#onAcknowledged: () => void = () => {};

	constructor(
		private readonly requests: Requests,
		private readonly ledger: Ledger,
		private readonly random: Random,
		private readonly round: number,
	) {}

	/** Answers how many writes were under way when the kill struck. */
	async runUntilKilled(kill: () => Promise<void>): Promise<number> {
		const writers = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer));
		await this.#moment();
		const underWay = this.requests.underWay;
		this.#stopped = true;
		await kill();
		await Promise.all(writers);
		return underWay;
	}

	/** The instant at which a random write is acknowledged, the earliest it could be lost, or some time after it. */
	async #moment(): Promise<void> {
		const later = this.random.chance(0.5);
		const at = later ? 1 : this.random.integer(1, 100);
		const reached = new Promise<void>((resolve) => {
			this.#onAcknowledged = () => {
				if (this.#acknowledged >= at) resolve();
			};
		});
		await Promise.race([reached, sleep(MOST_MILLIS, undefined, { ref: false })]);
		if (later) await sleep(this.random.integer(1, 400));
	}

	async #write(writer: number): Promise<void> {
		const random = this.random.fork(`writer ${writer}`);
		const mine: number[] = [];
		for (let at = 0; at < 10_000 && !this.#stopped; at++) {
			try {
				await this.#writeOnce(random, writer, this.round * 10_000 + at, mine);
				this.#acknowledged++;
				this.#onAcknowledged();
			} catch {
				// Not acknowledged: the ledger still has both versions. Before the kill nothing may fail.
				if (!this.#stopped) this.ledger.lost.push(`round ${this.round}: a write failed before the kill`);
				return;
			}
		}
	}

	async #writeOnce(random: Random, writer: number, version: number, mine: number[]): Promise<void> {
		const { ledger, requests } = this;
		// One writer owns the settings, so that what it was told last is what must be there.
		if (writer === 0 && random.chance(0.5)) {
			const settings = { workers: version + 1, python_version: `3.${version}` };
			ledger.beginSettings(settings);
			await requests.settings(settings);
			return ledger.doneSettings(settings);
		}
		const kind =
			mine.length === 0 ? "create" : random.pick(["create", "update", "update", "delete", "upload"]);
		const label = `w${writer}-v${version}`;
		const id = mine[random.integer(0, Math.max(0, mine.length - 1))] ?? 0;
		if (kind === "create") {
			ledger.beginCreate(label);
			const made = await requests.create(label, version);
			ledger.created(made.id, label, version);
			mine.push(made.id);
		} else if (kind === "update") {
			ledger.begin(id, version);
			await requests.update(id, written(label, version));
			ledger.done(id, version);
		} else if (kind === "delete") {
			mine.splice(mine.indexOf(id), 1);
			ledger.begin(id, "gone");
			await requests.remove(id);
			ledger.done(id, "gone");
		} else {
			ledger.uploaded(await requests.upload(label), label);
		}
	}
}
