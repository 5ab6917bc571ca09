import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { atOnce } from "../../at-once";
import { dist, type ServerChild, startChild } from "../server/child";
import { type Attack, problemOf, type Target } from "./attack";
import { bodyAttacks } from "./attacks-body";
import { httpAttacks } from "./attacks-http";
import { PATIENCE_MILLIS, slowAttacks } from "./attacks-slow";
import { frameAttacks, handshakeAttacks } from "./attacks-socket";
import { teamAttacks } from "./attacks-team";
import { uploadAttacks } from "./attacks-upload";
import { harmlessCases } from "./harmless";
import { exchange } from "./raw";

const AT_ONCE = 12;
const TOKEN = "canary-token-of-the-team";

export interface SiegeOutcome {
	readonly attacks: number;
	/** Attacks that were not refused as they should be. */
	readonly unrefused: readonly string[];
	readonly harmless: number;
	/** Legal input that was refused, changed or did harm. */
	readonly harmed: readonly string[];
	/** Crashes, failures of the server's own, and times at which it did not answer a good request. */
	readonly down: readonly string[];
	readonly stateChanges: readonly string[];
}

/** Limits are small, so that reaching them takes a moment; the clock stands still, so that only requests change things. */
const SERVER = `
const { startServer, manualClock } = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
startServer({ ...options, clock: manualClock(), log: (line) => process.stderr.write(line + "\\n") }).then((server) => {
	for (const [name, value] of Object.entries(server.environment)) process.stdout.write(name + "=" + value + "\\n");
});`;

/** Attacks a server in a process of its own, and then looks whether it is as it was. */
export async function besiege(): Promise<SiegeOutcome> {
	const folder = tempFolder("bench-hostile-");
	const dataFile = join(folder.path, "team.json");
	const options = {
		dataFile,
		token: TOKEN,
		tokens: [
			{ token: "canary-token-of-another-team", user: "other", teams: ["audio"], read: true, write: true },
			{ token: "canary-token-that-reads", user: "reader", teams: ["vision"], read: true, write: false },
		],
		maxUploadBytes: 65_536,
		bodyTimeoutMillis: PATIENCE_MILLIS,
	};
	const server = await startChild(["-e", SERVER, join(dist, "server"), JSON.stringify(options)]);
	const target: Target = {
		url: server.url,
		token: TOKEN,
		otherToken: "canary-token-of-another-team",
		readToken: "canary-token-that-reads",
	};
	try {
		return await new Siege(server, target, dataFile).run();
	} finally {
		await server.kill();
		folder.remove();
	}
}

class Siege {
	readonly #unrefused: string[] = [];
	readonly #down: string[] = [];

	constructor(
		private readonly server: ServerChild,
		private readonly target: Target,
		private readonly dataFile: string,
	) {}

	async run(): Promise<SiegeOutcome> {
		const { target } = this;
		const before = readFileSync(this.dataFile, "utf8");
		const quick = [
			...httpAttacks(target),
			...bodyAttacks(target),
			...teamAttacks(target),
			...uploadAttacks(target),
			...handshakeAttacks(target),
		];
		const slow = slowAttacks(target);
		const frames = frameAttacks(target, anyJobId(before));
		await Promise.all([this.#pool(quick), ...slow.map((attack) => this.#refused(attack))]);
		await Promise.all(frames.map((attack) => this.#hungUp(attack)));
		const stateChanges = await this.#changesSince(before);
		const harmless = harmlessCases(target);
		const harmed: string[] = [];
		for (const { name, run } of harmless) {
			const problem = await run().catch((error: unknown) => String(error));
			if (problem !== undefined) harmed.push(`${name}: ${problem}`);
			await this.#answers(name);
		}
		this.#lookAtLog();
		return {
			attacks: quick.length + slow.length + frames.length,
			unrefused: this.#unrefused,
			harmless: harmless.length,
			harmed,
			down: this.#down,
			stateChanges,
		};
	}

	async #pool(attacks: readonly Attack[]): Promise<void> {
		await atOnce(AT_ONCE, attacks, async (attack) => {
			await this.#refused(attack);
			await this.#answers(attack.name);
		});
	}

	async #refused(attack: Attack): Promise<void> {
		const { token, otherToken, readToken } = this.target;
		const answer = await exchange(this.target.url, attack.pieces);
		const problem = problemOf(attack, answer, [token, otherToken, readToken]);
		if (problem !== undefined) this.#unrefused.push(`${attack.name}: ${problem}`);
	}

	/** After the handshake there is no HTTP any more: hanging up is the refusal. */
	async #hungUp(attack: Attack): Promise<void> {
		const answer = await exchange(this.target.url, attack.pieces, { quietMillis: 1_000, limitMillis: 3_000 });
		if (!answer.received.startsWith("HTTP/1.1 101 ")) this.#unrefused.push(`${attack.name}: no handshake`);
		else if (!answer.closed) this.#unrefused.push(`${attack.name}: the connection stayed open`);
		await this.#answers(attack.name);
	}

	/** A good request on a connection of its own. */
	async #answers(after: string): Promise<void> {
		const { url, token } = this.target;
		const good = `GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
		const { replies } = await exchange(url, [good]);
		const status = replies[0]?.status;
		if (status !== 200) this.#down.push(`after ${after}: a good request got ${status ?? "no reply"}`);
	}

	/** The whole state, down to the counters of ids. */
	async #changesSince(before: string): Promise<string[]> {
		// Changes that nobody waits for are saved within a tenth of a second.
		await new Promise((resolve) => setTimeout(resolve, 300));
		const after = readFileSync(this.dataFile, "utf8");
		if (after === before) return [];
		let at = 0;
		while (after[at] === before[at]) at++;
		return [`the state is another one from here: …${after.slice(Math.max(0, at - 80), at + 80)}…`];
	}

	#lookAtLog(): void {
		if (!this.server.alive()) this.#down.push("the server has ended");
		const log = this.server.stderr();
		for (const line of log.split("\n")) {
			if (/^error:|^\s+at |Warning:/.test(line)) this.#down.push(`log: ${line.slice(0, 200)}`);
			if (/\p{Cc}/u.test(line)) this.#down.push("log: a line with control characters");
			if (line.includes("canary-")) this.#down.push("log: a secret");
		}
	}
}

function anyJobId(data: string): string {
	return /"jobs":\[\{"id":"([^"]+)"/.exec(data)?.[1] ?? "none";
}
