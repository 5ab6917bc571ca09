import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start } from "../../../../tools/process/run";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { atOnce } from "../../at-once";
import { all, none, type Row } from "../../row";
import { ATTACKS, type Attack, TOKENS } from "./attacks";
import { dist, hostileCommands } from "./commands";

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
	const options = JSON.stringify({ dataFile, token: TOKENS.own, tokens });
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
		await atOnce(12, ATTACKS, async (attack) => {
			const [name, request] = attack;
			const problem = problemOf(attack, await received(url, request));
			if (problem !== undefined) unrefused.push(`${name}: ${problem}`);
			const good = `GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKENS.own}\r\n\r\n`;
			const reply = await received(url, good);
			if (!reply.startsWith("HTTP/1.1 200 ")) down.push(`after ${name}: a good request got ${reply}`);
		});
		// Changes that nobody waits for are saved within a tenth of a second.
		await sleep(300);
		const changes = readFileSync(dataFile, "utf8") === before ? [] : ["the data file is another one"];
		if (ended) down.push("the server has ended");
		down.push(...complaints(output.stderr));
		return { tried: ATTACKS.length, unrefused, down, changes };
	} finally {
		server.kill();
		await server.finished;
		folder.remove();
	}
}

/** What comes back, until it is quiet, for bytes that no HTTP client would send. */
async function received(url: string, bytes: string): Promise<string> {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname).setEncoding("latin1");
	let text = "";
	socket.on("data", (chunk) => {
		text += chunk;
		socket.setTimeout(80);
	});
	socket.setTimeout(8_000, () => socket.destroy());
	// A reset is how a server refuses to read on; what it said before counts.
	socket.on("error", () => {});
	socket.write(bytes);
	await new Promise((resolve) => socket.once("close", resolve));
	return text;
}

/** Why an answer is no proper refusal; undefined where it is one. */
function problemOf([, , wanted]: Attack, text: string): string | undefined {
	const [, status = "", head = "", body = ""] = /^HTTP\/1\.1 (\d+) (.*?)\r\n\r\n(.*)$/s.exec(text) ?? [];
	if (status === "") return `no reply (${text.slice(0, 60) || "nothing"})`;
	if (/HTTP\/1\.1 [123]/.test(body)) return `a second reply: ${body.slice(0, 200)}`;
	if (wanted === "4xx" ? !status.startsWith("4") : status !== String(wanted))
		return `${status}, not ${wanted}: ${body.slice(0, 120)}`;
	if (!/^\{"message":"./.test(body)) return `${status} without a message`;
	if (/access-control-allow/i.test(head)) return "another origin is let in";
	if (text.includes("canary-")) return "the reply has a secret in it";
	return text.length > 10_000 ? "the refusal repeats too much" : undefined;
}

/** What its log says against the server. */
function complaints(log: string): string[] {
	const isBad = (line: string) => /^error:|^\s+at |Warning:|canary-/.test(line) || /\p{Cc}/u.test(line);
	const bad = log.split("\n").filter(isBad);
	return bad.map((line) => `log: ${JSON.stringify(line.slice(0, 200))}`);
}
