import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { atOnce } from "../../at-once";
import { all, none, type Row } from "../../row";
import { dist, type ServerChild, startChild } from "../../server-child";
import { type Attack, attacks, LIMITS, TOKENS } from "./attacks";
import { hostileCommands } from "./commands";
import { type Exchange, exchange } from "./raw";

/** Hostile input to the local server and to the command line: refused, without harm. */
export const hostile: Row = {
	number: 11,
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

/** The clock stands still, so that only requests change things. */
const SERVER = `
const { startServer, manualClock } = require(process.argv[1]);
const options = JSON.parse(process.argv[2]);
startServer({ ...options, clock: manualClock(), log: (line) => process.stderr.write(line + "\\n") }).then((server) => {
	for (const [name, value] of Object.entries(server.environment)) process.stdout.write(name + "=" + value + "\\n");
});`;

const MOST_MEGABYTES = 400;

/** Attacks a server in a process of its own, and then looks whether it is as it was. */
async function besiege() {
	const folder = tempFolder("bench-hostile-");
	const dataFile = join(folder.path, "team.json");
	const tokens = [
		{ token: TOKENS.other, user: "other", teams: ["audio"], read: true, write: true },
		{ token: TOKENS.reader, user: "reader", teams: ["vision"], read: true, write: false },
	];
	const options = { dataFile, token: TOKENS.own, tokens, ...LIMITS };
	const server = await startChild(["-e", SERVER, join(dist, "server"), JSON.stringify(options)]);
	const unrefused: string[] = [];
	const down: string[] = [];
	try {
		const before = readFileSync(dataFile, "utf8");
		const table = attacks(/"jobs":\[\{"id":"([^"]+)"/.exec(before)?.[1] ?? "none");
		await atOnce(12, table, async (attack) => {
			const [name, pieces, status] = attack;
			const answer = await exchange(server.url, pieces, status === "closed" ? 1_000 : 80);
			const problem = problemOf(attack, answer);
			if (problem !== undefined) unrefused.push(`${name}: ${problem}`);
			const good = `GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.own}\r\n\r\n`;
			const [reply] = (await exchange(server.url, [good])).replies;
			if (reply?.status !== 200)
				down.push(`after ${name}: a good request got ${reply?.status ?? "no reply"}`);
		});
		// Changes that nobody waits for are saved within a tenth of a second.
		await sleep(300);
		const changes = readFileSync(dataFile, "utf8") === before ? [] : ["the data file is another one"];
		down.push(...complaints(server));
		return { tried: table.length, unrefused, down, changes };
	} finally {
		await server.kill();
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
	if (second !== undefined && (second.status < 400 || second.status > 499))
		return `a second reply: ${second.status}`;
	if (reply.status < 400 || reply.status > 499 || (wanted !== "4xx" && reply.status !== wanted))
		return `${reply.status}, not ${wanted}: ${reply.body.slice(0, 120)}`;
	if (!/^\{"message":"./.test(reply.body)) return `${reply.status} without a message`;
	if (/access-control-allow/i.test(reply.head)) return "another origin is let in";
	if (received.includes("canary-")) return "the reply has a secret in it";
	return received.length > 10_000 ? "the refusal repeats too much" : undefined;
}

function complaints(server: ServerChild): string[] {
	if (!server.alive()) return ["the server has ended"];
	const lines = server.stderr().split("\n");
	const bad = lines.filter((line) => /^error:|^\s+at |Warning:|canary-/.test(line) || /\p{Cc}/u.test(line));
	const peak = server.peakMegabytes();
	const grown = peak > MOST_MEGABYTES ? [`the server took ${peak} MB`] : [];
	return [...bad.map((line) => `log: ${JSON.stringify(line.slice(0, 200))}`), ...grown];
}
