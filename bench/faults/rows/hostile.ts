import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Result, run } from "../../../tools/process/run";
import { tempFolder } from "../../../tools/process/temp-folder";
import { repository } from "../../../tools/repository";
import { atOnce } from "../at-once";
import { all, type Row } from "../row";

/** The built command line, as users run it. */
const CLI = join(repository, "dist", "commands", "main.js");
/** Must be found in no output. */
const CANARY = "canary-of-the-command-line";
const ESCAPE = "\u001b[2J\u001b]0;title\u0007";
const LONG = "9".repeat(100_000);
const EMPTY_STATE = '{"version":3,"deployment":{"resources":[]}}';

/** A call that must fail, and say why: arguments, environment, and what the Pulumi CLI prints where it is asked. */
type Command = readonly [args: readonly string[], env?: NodeJS.ProcessEnv, stdout?: string, stderr?: string];

const CONNECTIONS: readonly NodeJS.ProcessEnv[] = [
	{ DATACHAIN_STUDIO_TOKEN: `${CANARY}\nX-Injected: 1` },
	{ DATACHAIN_STUDIO_TEAM: "vision\nINJECTED=1" },
	{ DATACHAIN_STUDIO_TEAM: LONG },
	{ DATACHAIN_STUDIO_URL: `https://user:${CANARY}@studio.invalid` },
	{ DATACHAIN_STUDIO_URL: "http://studio.invalid" },
	{ DATACHAIN_STUDIO_URL: `https://${ESCAPE}` },
];
const STATES = [
	`not JSON ${CANARY}`,
	"[".repeat(100_000),
	`{"deployment":{"resources":[{"type":"${CANARY}"}]}}`,
	"",
];
const SERVE = [
	...[ESCAPE, LONG, "-1"].map((port) => [`--port=${port}`]),
	...["127.0.0.1\nX", "::"].map((host) => ["--host", host]),
	...["x\nDATACHAIN_STUDIO_TOKEN=stolen", ESCAPE, LONG].map((team) => ["--team", team]),
	...[".", "/dev/null/x", `${ESCAPE}/x`].map((data) => ["--data", data]),
];
const OTHERS = [
	...["__proto__", ESCAPE].map((kind) => ["drift", "--fail-on", kind]),
	...["0s", "999999h", ESCAPE].map((interval) => ["drift", "--watch", interval]),
	...["/dev/null/x", `/dev/null/${ESCAPE}`].map((out) => ["export", "--out", out]),
	["drift", "--html", "no/such/page.html"],
	["drift", `--${LONG}`],
	["export", "--stack", "; touch owned"],
	["__proto__"],
	[ESCAPE],
];

const COMMANDS: readonly Command[] = [
	...SERVE.map((args): Command => [["serve", ...args]]),
	...CONNECTIONS.flatMap((env) => ["drift", "export", "doctor"].map((name): Command => [[name], env])),
	...STATES.map((state): Command => [["drift"], {}, state]),
	...OTHERS.map((args): Command => [args]),
	[["drift"], {}, CANARY, `error: ${ESCAPE} no`],
	[["drift", "--stack", "--show-secrets"], {}, "", "error: no stack named '--show-secrets'"],
];

/** Each starts a process, so a quick run takes a part of them. */
const COUNTS = { quick: 18, full: COMMANDS.length };

/** Hostile options, environment and Pulumi CLI to the built command line: refused, without harm. */
export const hostile: Row = {
	number: 6,
	name: "hostile",
	async run({ scale, random }) {
		const chosen = random.fork("commands").shuffled(COMMANDS).slice(0, COUNTS[scale]);
		const folder = tempFolder("bench-commands-");
		const problems: string[] = [];
		try {
			await atOnce(3, chosen.entries(), async ([at, command]) => {
				const problem = await tryOne(join(folder.path, String(at)), command);
				if (problem !== undefined) problems.push(`${JSON.stringify(command).slice(0, 200)}: ${problem}`);
			});
		} finally {
			folder.remove();
		}
		const what = "commands that end with an error, a message, no trace and no secret";
		return {
			load: `${chosen.length} hostile commands`,
			figures: [all(what, chosen.length - problems.length, chosen.length, problems)],
		};
	},
};

async function tryOne(
	folder: string,
	[args, env, stdout = EMPTY_STATE, stderr]: Command,
): Promise<string | undefined> {
	const [here, bin] = [join(folder, "here"), join(folder, "bin")];
	for (const path of [here, bin]) mkdirSync(path, { recursive: true });
	writeFileSync(join(folder, "stdout"), stdout);
	writeFileSync(join(folder, "stderr"), stderr ?? "");
	const code = stderr === undefined ? 0 : 1;
	writeFileSync(
		join(bin, "pulumi"),
		`#!/bin/sh\ncat '${folder}/stdout'\ncat '${folder}/stderr' >&2\nexit ${code}\n`,
	);
	chmodSync(join(bin, "pulumi"), 0o755);
	const result = await run(process.execPath, [CLI, ...args], {
		cwd: here,
		// Nothing of ours in it but what the case gives.
		env: {
			HOME: folder,
			PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
			DATACHAIN_STUDIO_URL: "http://127.0.0.1:9",
			DATACHAIN_STUDIO_TOKEN: CANARY,
			DATACHAIN_STUDIO_TEAM: "vision",
			...env,
		},
		timeoutMs: 20_000,
	});
	const left = readdirSync(here);
	return problemOf(result) ?? (left.length > 0 ? `it left ${left.join(", ")}` : undefined);
}

/** A refusal: an exit code, a message, and nothing else that one would not want to see. */
function problemOf({ code, stdout, stderr, timedOut }: Result): string | undefined {
	const output = `${stdout}${stderr}`;
	if (timedOut) return "it did not end";
	if (code === 0 || code > 2) return `it ended with ${code}`;
	if (!/\w{3,}/.test(output)) return "it said nothing";
	if (/^\s+at .+:\d+/m.test(output)) return `a stack trace: ${output.slice(0, 200)}`;
	if (output.includes(CANARY)) return "it showed a secret";
	if (/[^\P{Cc}\n\t]/u.test(output)) return `control characters: ${JSON.stringify(output.slice(0, 200))}`;
	return output.length > 4_000 ? `it printed ${output.length} characters` : undefined;
}
