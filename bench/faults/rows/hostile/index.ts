import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readProcFile } from "../../../../tools/process/proc";
import { start } from "../../../../tools/process/run";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { atOnce } from "../../at-once";
import { all, none, type Row } from "../../row";
import { type Attack, attacks, LIMITS, TOKENS } from "./attacks";
import { dist, hostileCommands } from "./commands";
import { type Exchange, exchange } from "./raw";

/** Hostile input to the local server and to the command line: refused, without harm. */
export const hostile: Row = {
	number: 10,
	name: "hostile",
	async run(context) {
		const siege = await besiege();
		context.progress("the command line");
		const commands = await hostileCommands(context);
		const refused = (what: string, tried: number, problems: readonly string[]) =>
			all(what, tried - problems.length, tried, problems);
		return {
			load: `${siege.tried} hostile requests, ${commands.tried} commands`,
			figures: [
				refused("requests refused with 4xx and a message", siege.tried, siege.unrefused),
				none("crashes, 5xx, and good requests not served meanwhile", siege.down),
				none("changes of the server's state by refused requests", siege.changes),
				refused(
					"commands that end with an error, a message, no trace and no secret",
					commands.tried,
					commands.problems,
				),
			],
		};
	},
};

const MOST_MEGABYTES = 400;

/** The built server; its clock stands still, so that only requests change things. */
const SCRIPT = `
const { startServer, manualClock } = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
startServer({ ...options, clock: manualClock(), log: (line) => process.stderr.write(line + "\\n") })
	.then(({ url }) => process.stdout.write(url + "\\n"));`;

/** Attacks a server in a process of its own, and then looks whether it is as it was. */
async function besiege() {
	const folder = tempFolder("bench-hostile-");
	const dataFile = join(folder.path, "team.json");
	const tokens = [
		{ token: TOKENS.other, user: "other", teams: ["audio"], read: true, write: true },
		{ token: TOKENS.reader, user: "reader", teams: ["vision"], read: true, write: false },
	];
	const options = JSON.stringify({ dataFile, token: TOKENS.own, tokens, ...LIMITS });
	const output = { stdout: "", stderr: "" };
	const server = start(process.execPath, ["-e", SCRIPT, join(dist, "server"), options], {
		timeoutMs: 5 * 60_000,
		onOutput: (chunk, stream) => {
			output[stream] += chunk;
		},
	});
	let ended = false;
	void server.finished.then(() => {
		ended = true;
	});
	while (!output.stdout.includes("\n") && !ended) await sleep(10);
	const url = output.stdout.trim();
	const unrefused: string[] = [];
	const down: string[] = [];
	try {
		const before = readFileSync(dataFile, "utf8");
		const table = attacks(/"jobs":\[\{"id":"([^"]+)"/.exec(before)?.[1] ?? "none");
		await atOnce(12, table, async (attack) => {
			const [name, pieces, status] = attack;
			const quietMillis = status === "closed" ? 1_000 : 80;
			let answer = await exchange(url, pieces, quietMillis);
			// A reply is lost with the connection where the client still writes when the server hangs up: that is TCP.
			for (let again = 0; again < 2 && answer.closed && answer.received === ""; again += 1)
				answer = await exchange(url, pieces, quietMillis);
			const problem = problemOf(attack, answer);
			if (problem !== undefined) unrefused.push(`${name}: ${problem}`);
			const good = `GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.own}\r\n\r\n`;
			const [reply] = (await exchange(url, [good])).replies;
			if (reply?.status !== 200) down.push(`after ${name}: a good request got ${reply?.status}`);
		});
		// Changes that nobody waits for are saved within a tenth of a second.
		await sleep(300);
		const changes = readFileSync(dataFile, "utf8") === before ? [] : ["the data file is another one"];
		if (ended) down.push("the server has ended");
		down.push(...complaints(output.stderr, server.pid ?? 0));
		return { tried: table.length, unrefused, down, changes };
	} finally {
		server.kill();
		await server.finished;
		folder.remove();
	}
}

/** Why an answer is no proper refusal; undefined where it is one. */
function problemOf([, , wanted]: Attack, { replies, received, closed }: Exchange): string | undefined {
	if (wanted === "closed") {
		// After the handshake there is no HTTP any more: hanging up is the refusal.
		if (!received.startsWith("HTTP/1.1 101 ")) return "no handshake";
		return closed ? undefined : "the connection stayed open";
	}
	const [reply, second] = replies;
	if (reply === undefined) return `no reply (${received.slice(0, 60) || "nothing"})`;
	if (second !== undefined && second.status < 400) return `a second reply: ${second.status}`;
	if (reply.status < 400 || reply.status > 499 || (wanted !== "4xx" && reply.status !== wanted))
		return `${reply.status}, not ${wanted}: ${reply.body.slice(0, 120)}`;
	if (!/^\{"message":"./.test(reply.body)) return `${reply.status} without a message`;
	if (/access-control-allow/i.test(reply.head)) return "another origin is let in";
	if (received.includes("canary-")) return "the reply has a secret in it";
	return received.length > 10_000 ? "the refusal repeats too much" : undefined;
}

/** What its log and its memory say against the server. */
function complaints(log: string, pid: number): string[] {
	const isBad = (line: string) => /^error:|^\s+at |Warning:|canary-/.test(line) || /\p{Cc}/u.test(line);
	const bad = log.split("\n").filter(isBad);
	const status = readProcFile(pid, "status") ?? "";
	const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
	const grown = peak > MOST_MEGABYTES ? [`the server took ${Math.round(peak)} MB`] : [];
	return [...bad.map((line) => `log: ${JSON.stringify(line.slice(0, 200))}`), ...grown];
}
