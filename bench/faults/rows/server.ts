import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { tempFolder } from "../../../tools/process/temp-folder";
import { messageOf } from "../process";
import type { Random } from "../random";
import { all, none, type Row } from "../row";
import { type ServerChild, startServe } from "../server-child";

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
		const [killed, crowd] = [new Ledger(), new Ledger()];
		const kills = KILLS[scale];
		let underLoad = 0;
		try {
			for (let round = 0; round < kills; round++) {
				underLoad += await withServer(dataFile, killed, `after kill ${round}`, (child, service) =>
					new Load(service, killed, random.fork(`round ${round}`), round).untilKilled(() => child.kill()),
				);
			}
			await withServer(dataFile, killed, `after kill ${kills}`, async () => 0);
			progress(`${underLoad} of ${kills} kills under load; 32 writers at once`);
			await withServer(join(folder.path, "crowd.json"), crowd, "at first", async (_, service) => {
				await new Load(service, crowd, random.fork("crowd"), 0).toTheEnd(WRITES[scale]);
				await crowd.compare(service, "after 32 writers");
				return 0;
			});
		} finally {
			folder.remove();
		}
		const count = (ledger: Ledger): string => ledger.acknowledged.toLocaleString("en");
		return {
			load: `${kills} SIGKILLs during ${count(killed)} acknowledged writes; 32 writers, ${count(crowd)} writes`,
			figures: [
				all("kills under load, each with a restart after it", underLoad, kills),
				none("acknowledged writes lost", killed.lost),
				none("half-written objects", [...killed.torn, ...crowd.torn]),
				none("ids given out twice, or objects made twice", killed.duplicates),
				none("32 writers: lost updates", crowd.lost),
				none("32 writers: ids given out twice", crowd.duplicates),
			],
		};
	},
};

/** Starts over the data file, checks what the last kill left, and works. */
async function withServer(
	dataFile: string,
	ledger: Ledger,
	when: string,
	work: (child: ServerChild, service: Service) => Promise<number>,
): Promise<number> {
	const child = await startServe(dataFile);
	try {
		const service = new Service(child);
		await ledger.compare(service, when);
		return await work(child, service);
	} finally {
		await child.kill();
	}
}

/** Name and cron of one version. Both are written together, so a mixture of two versions shows. */
const written = (label: string, version: number) => ({
	schedule_name: `${label}.${version}`,
	cron_expression: `${version % 60} ${Math.floor(version / 60) % 24} * * *`,
});

const scheduleSchema = z.object({
	id: z.number(),
	schedule_name: z.string(),
	cron_expression: z.string().nullable(),
});
const settingsSchema = z.object({ python_version: z.string().nullable(), workers: z.number().nullable() });

/** The label and the version of a schedule; "torn" for a mixture of two. */
function read({ schedule_name, cron_expression }: z.infer<typeof scheduleSchema>): [string, string] {
	const at = schedule_name.lastIndexOf(".");
	const [label, version] = [schedule_name.slice(0, at), schedule_name.slice(at + 1)];
	return [label, cron_expression === written("", Number(version)).cron_expression ? version : "torn"];
}

/** The pipeline of the seeded team that everything here belongs to. */
const PIPELINE = "nightly-images";

/** Plain requests without repetition: a reply is an acknowledgement, anything else is none. */
class Service {
	/** Requests without a reply yet. */
	underWay = 0;

	constructor(private readonly child: ServerChild) {}

	/** What is there, by key: schedules with label and version, and the two settings that different writers set. */
	async live() {
		const list = z.array(scheduleSchema).parse(await this.send("schedules"));
		const { python_version, workers } = settingsSchema.parse(await this.send(`status?name=${PIPELINE}`));
		const values = new Map([["python", String(python_version)]]).set("workers", String(workers));
		for (const schedule of list) values.set(`schedule ${schedule.id}`, read(schedule)[1]);
		return { list, values };
	}

	async create(fields: object): Promise<number> {
		const reply = await this.send("create-schedule", { ...fields, pipeline_name: PIPELINE });
		return z.object({ schedule: scheduleSchema }).parse(reply).schedule.id;
	}

	async send(path: string, body?: object): Promise<unknown> {
		this.underWay++;
		try {
			const response = await fetch(`${this.child.url}/api/datachain/pipeline/${path}`, {
				method: body ? "POST" : "GET",
				headers: { Authorization: `Bearer ${this.child.token}`, "Content-Type": "application/json" },
				body: body ? JSON.stringify(body) : null,
				signal: AbortSignal.timeout(20_000),
			});
			const text = await response.text();
			if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
			return JSON.parse(text);
		} finally {
			this.underWay--;
		}
	}
}

/** What the server has acknowledged, and what was under way when it was killed. */
class Ledger {
	readonly lost: string[] = [];
	readonly torn: string[] = [];
	readonly duplicates: string[] = [];
	acknowledged = 0;
	/** What may be found under each key: one value, and until it is acknowledged the next one as well. */
	readonly #may = new Map<string, string[]>();
	readonly #unanswered = new Set<string>();
	#seeded: ReadonlySet<string> | undefined;

	/** A write of one value; both may be found until it is acknowledged. */
	async write(key: string, value: string, send: () => Promise<unknown>): Promise<void> {
		this.#may.get(key)?.push(value);
		await send();
		this.#may.set(key, [value]);
		this.acknowledged++;
	}

	async create(label: string, version: number, send: () => Promise<number>): Promise<number> {
		this.#unanswered.add(label);
		const id = await send();
		this.#unanswered.delete(label);
		if (this.#may.has(`schedule ${id}`))
			this.duplicates.push(`schedule id ${id} was given out twice (${label})`);
		this.#may.set(`schedule ${id}`, [String(version)]);
		this.acknowledged++;
		return id;
	}

	/** Compares what is there with what was acknowledged, and goes on from there. */
	async compare(service: Service, when: string): Promise<void> {
		const { list, values } = await service.live();
		this.#seeded ??= new Set(values.keys());
		if (values.size !== list.length + 2) this.duplicates.push(`${when}: two schedules share an id`);
		for (const schedule of list) {
			const key = `schedule ${schedule.id}`;
			if (this.#may.has(key) || this.#seeded.has(key)) continue;
			// A schedule that no acknowledgement knows must be one whose create was under way.
			const [label, version] = read(schedule);
			if (!this.#unanswered.delete(label)) this.duplicates.push(`${when}: a second ${label}`);
			this.#may.set(key, [version]);
		}
		for (const [key, may] of this.#may) {
			const value = values.get(key) ?? "gone";
			if (value === "torn") this.torn.push(`${when}: ${key} is half one version, half another`);
			else if (!may.includes(value)) this.lost.push(`${when}: ${key} is ${value}, not ${may.join(" or ")}`);
			// Found after a restart means saved, so it has to stay.
			this.#may.set(key, [value]);
		}
		this.#unanswered.clear();
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

	/** Goes on until the server is gone; answers 1 where writes were under way when the kill struck. */
	async untilKilled(kill: () => Promise<void>): Promise<number> {
		const writers = Array.from({ length: 16 }, (_, writer) => this.#write(writer, 10_000));
		// The instant at which a random write is acknowledged, the earliest it could be lost, or some time after it.
		const later = this.random.chance(0.5);
		const at = later ? 1 : this.random.integer(1, 100);
		const reached = new Promise<void>((resolve) => {
			this.#onDone = () => this.#done >= at && resolve();
		});
		await Promise.race([reached, sleep(MOST_MILLIS, undefined, { ref: false })]);
		if (later) await sleep(this.random.integer(1, 400));
		const { underWay } = this.service;
		this.#stopped = true;
		await kill();
		await Promise.all(writers);
		return underWay > 0 ? 1 : 0;
	}

	async toTheEnd(writes: number): Promise<void> {
		await Promise.all(Array.from({ length: 32 }, (_, writer) => this.#write(writer, writes)));
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
		const set = (fields: object) => service.send("settings", { pipeline_name: PIPELINE, ...fields });
		// Each of two writers owns one of the shared settings: a write of one must not undo the other.
		if (writer === 0 && random.chance(0.5))
			return ledger.write("python", `3.${version}`, () => set({ python_version: `3.${version}` }));
		if (writer === 1 && random.chance(0.5))
			return ledger.write("workers", String(version), () => set({ workers: version }));
		const id = mine[random.integer(0, Math.max(0, mine.length - 1))] ?? 0;
		const kind = mine.length === 0 ? "create" : random.pick(["create", "update", "update", "delete"]);
		if (kind === "create") {
			mine.push(await ledger.create(label, version, () => service.create(written(label, version))));
		} else if (kind === "update") {
			const send = () => service.send("update-schedule", { schedule_id: id, ...written(label, version) });
			await ledger.write(`schedule ${id}`, String(version), send);
		} else {
			mine.splice(mine.indexOf(id), 1);
			await ledger.write(`schedule ${id}`, "gone", () =>
				service.send("delete-schedule", { schedule_id: id }),
			);
		}
	}
}
