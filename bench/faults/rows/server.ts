import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { tempFolder } from "../../../tools/process/temp-folder";
import { messageOf } from "../process";
import type { Random } from "../random";
import { all, none, type Row } from "../row";
import { type ServerChild, startServe } from "../server-child";

const KILLS = { quick: 6, full: 50 };
const WRITERS = 32;
/** On a slow disk a hundred writes may take longer; then the kill comes before them. */
const MOST_MILLIS = 1_500;

/** The local server, written to by many at once and killed in the middle: what it has acknowledged stays. */
export const server: Row = {
	number: 10,
	name: "server",
	async run({ scale, random, progress }) {
		const folder = tempFolder("bench-server-");
		const ledger = new Ledger();
		let underLoad = 0;
		try {
			for (let round = 0; round <= KILLS[scale]; round++) {
				const child = await startServe(join(folder.path, "team.json"));
				try {
					await ledger.compare(child, `after kill ${round}`);
					if (round < KILLS[scale])
						underLoad += await loadAndKill(child, ledger, random.fork(`round ${round}`), round);
				} finally {
					await child.kill();
				}
			}
		} finally {
			folder.remove();
		}
		progress(`${underLoad} of ${KILLS[scale]} kills under load`);
		return {
			load: `${KILLS[scale]} SIGKILLs during ${ledger.acknowledged.toLocaleString("en")} acknowledged writes of ${WRITERS} writers`,
			figures: [
				all("kills under load, each with a restart after it", underLoad, KILLS[scale]),
				none("acknowledged writes lost", ledger.lost),
				none("half-written objects", ledger.torn),
				none("ids given out twice, or objects made twice", ledger.duplicates),
			],
		};
	},
};

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

/** A plain request without repetition: a reply is an acknowledgement, anything else is none. */
async function send({ url, token }: ServerChild, path: string, body?: object): Promise<unknown> {
	const response = await fetch(`${url}/api/datachain/pipeline/${path}`, {
		method: body ? "POST" : "GET",
		headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
		body: body ? JSON.stringify(body) : null,
		signal: AbortSignal.timeout(20_000),
	});
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
	return JSON.parse(text);
}

/** What the server has acknowledged, and what was under way when it was killed. */
class Ledger {
	readonly lost: string[] = [];
	readonly torn: string[] = [];
	readonly duplicates: string[] = [];
	acknowledged = 0;
	/** What each schedule may be: a version or gone, and until it is acknowledged the next one as well. */
	readonly may = new Map<number, string[]>();
	/** Labels of creates without an answer. */
	readonly open = new Set<string>();

	/** Compares what is there with what was acknowledged, and goes on from there. */
	async compare(child: ServerChild, when: string): Promise<void> {
		const list = z.array(scheduleSchema).parse(await send(child, "schedules"));
		const found = new Map<number, string>();
		for (const { id, schedule_name, cron_expression } of list) {
			const at = schedule_name.lastIndexOf(".");
			const [label, version] = [schedule_name.slice(0, at), schedule_name.slice(at + 1)];
			if (!label.startsWith("w")) continue;
			if (found.has(id)) this.duplicates.push(`${when}: two schedules share the id ${id}`);
			// A schedule that no acknowledgement knows must be one whose create was under way.
			if (!this.may.has(id) && !this.open.delete(label)) this.duplicates.push(`${when}: a second ${label}`);
			if (!this.may.has(id)) this.may.set(id, [version]);
			found.set(id, version);
			const whole = cron_expression === written("", Number(version)).cron_expression;
			if (!whole) this.torn.push(`${when}: schedule ${id} is half one version, half another`);
		}
		for (const [id, may] of this.may) {
			const version = found.get(id) ?? "gone";
			if (!may.includes(version))
				this.lost.push(`${when}: schedule ${id} is ${version}, not ${may.join(" or ")}`);
			// Found after a restart means saved, so it has to stay.
			this.may.set(id, [version]);
		}
		this.open.clear();
	}
}

/** Writers that go on until the server is gone under them; answers 1 where writes were under way when the kill struck. */
async function loadAndKill(
	child: ServerChild,
	ledger: Ledger,
	random: Random,
	round: number,
): Promise<number> {
	const state = { underWay: 0, stopped: false, done: 0 };
	const write = async (
		key: number | undefined,
		value: string,
		path: string,
		body: object,
	): Promise<unknown> => {
		if (key !== undefined) ledger.may.get(key)?.push(value);
		state.underWay++;
		const reply = await send(child, path, body).finally(() => state.underWay--);
		if (key !== undefined) ledger.may.set(key, [value]);
		ledger.acknowledged++;
		state.done++;
		return reply;
	};
	const writeOnce = async (draws: Random, label: string, version: number, mine: number[]): Promise<void> => {
		const fields = written(label, version);
		const id = mine[draws.integer(0, Math.max(0, mine.length - 1))];
		const kind = id === undefined ? "create" : draws.pick(["create", "update", "update", "delete"]);
		if (kind === "update")
			await write(id, String(version), "update-schedule", { schedule_id: id, ...fields });
		if (kind === "delete") {
			mine.splice(mine.indexOf(id ?? 0), 1);
			await write(id, "gone", "delete-schedule", { schedule_id: id });
		}
		if (kind !== "create") return;
		ledger.open.add(label);
		const reply = await write(undefined, "", "create-schedule", {
			...fields,
			pipeline_name: "nightly-images",
		});
		const made = z.object({ schedule: scheduleSchema }).parse(reply).schedule.id;
		ledger.open.delete(label);
		if (ledger.may.has(made)) ledger.duplicates.push(`schedule id ${made} was given out twice (${label})`);
		ledger.may.set(made, [String(version)]);
		mine.push(made);
	};
	const writers = Array.from({ length: WRITERS }, async (_, writer) => {
		const mine: number[] = [];
		const draws = random.fork(`writer ${writer}`);
		for (let version = round * 10_000; !state.stopped; version++) {
			try {
				await writeOnce(draws, `w${writer}-v${version}`, version, mine);
			} catch (error) {
				// Not acknowledged: the ledger still has both versions. Before the kill nothing may fail.
				if (!state.stopped) ledger.lost.push(`round ${round}: a write failed: ${messageOf(error)}`);
				return;
			}
		}
	});
	// The instant at which a random write is acknowledged, the earliest it could be lost, or some time after it.
	const later = random.chance(0.5);
	const at = later ? 1 : random.integer(1, 100);
	const deadline = Date.now() + MOST_MILLIS;
	while (state.done < at && Date.now() < deadline) await sleep(1);
	if (later) await sleep(random.integer(1, 400));
	const { underWay } = state;
	state.stopped = true;
	await child.kill();
	await Promise.all(writers);
	return underWay > 0 ? 1 : 0;
}
