import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Result, run } from "../../../../tools/process/run";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { atOnce } from "../../at-once";
import type { RowContext } from "../../row";
import { dist } from "../server/child";
import { CANARY, type CommandCase, commandCases } from "./command-cases";

const AT_ONCE = 3;
const LIMIT_MILLIS = 20_000;

export interface CommandOutcome {
	readonly tried: number;
	readonly problems: readonly string[];
}

/** Each starts a process, so a quick run takes a part of them. */
const COUNTS = { quick: 24, full: commandCases.length };

/** Runs the built command line with hostile options, environment, files and a hostile Pulumi CLI. */
export async function hostileCommands({ scale, random }: RowContext): Promise<CommandOutcome> {
	const order = random.fork("commands");
	const chosen = commandCases
		.map((one) => ({ one, place: order.next() }))
		.sort((a, b) => a.place - b.place)
		.slice(0, COUNTS[scale])
		.map(({ one }) => one);
	const folder = tempFolder("bench-commands-");
	const problems: string[] = [];
	try {
		await atOnce(AT_ONCE, chosen.entries(), async ([at, one]) => {
			const problem = await tryOne(join(folder.path, String(at)), one);
			if (problem !== undefined) problems.push(`${one.name}: ${problem}`);
		});
	} finally {
		folder.remove();
	}
	return { tried: chosen.length, problems };
}

async function tryOne(folder: string, one: CommandCase): Promise<string | undefined> {
	const place = join(folder, "here");
	mkdirSync(place, { recursive: true });
	for (const [name, text] of Object.entries(one.files ?? {})) writeFileSync(join(place, name), text);
	const before = readdirSync(place);
	const result = await run(process.execPath, [join(dist, "cli", "main.js"), ...one.args], {
		cwd: place,
		env: environmentOf(folder, one),
		timeoutMs: LIMIT_MILLIS,
	});
	const left = readdirSync(place).filter((name) => !before.includes(name));
	return problemOf(result) ?? (left.length > 0 ? `it left ${left.join(", ")}` : undefined);
}

/** Nothing of ours in it but what the case gives, and no Pulumi CLI but the case's own. */
function environmentOf(folder: string, one: CommandCase): NodeJS.ProcessEnv {
	const bin = join(folder, "bin");
	mkdirSync(bin);
	if (one.pulumi !== undefined) {
		const { stdout = "", stderr = "", code = 0 } = one.pulumi;
		writeFileSync(join(folder, "stdout"), stdout);
		writeFileSync(join(folder, "stderr"), stderr);
		const script = `#!/bin/sh\ncat '${join(folder, "stdout")}'\ncat '${join(folder, "stderr")}' >&2\nexit ${code}\n`;
		writeFileSync(join(bin, "pulumi"), script);
		chmodSync(join(bin, "pulumi"), 0o755);
	}
	return {
		HOME: folder,
		PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
		DATACHAIN_STUDIO_URL: "http://127.0.0.1:9",
		DATACHAIN_STUDIO_TOKEN: CANARY,
		DATACHAIN_STUDIO_TEAM: "vision",
		...one.env,
	};
}

/** A refusal: an exit code, a message, and nothing else that one would not want to see. */
function problemOf({ code, stdout, stderr, timedOut }: Result): string | undefined {
	const output = `${stdout}${stderr}`;
	if (timedOut) return "it did not end";
	if (code === 0) return "it succeeded";
	if (code > 2) return `it ended with ${code}`;
	if (!/\w{3,}/.test(output)) return "it said nothing";
	if (/^\s+at .+:\d+/m.test(output)) return `a stack trace: ${output.slice(0, 200)}`;
	if (output.includes(CANARY)) return "it showed a secret";
	if (/[^\P{Cc}\n\t]/u.test(output)) return `control characters: ${JSON.stringify(output.slice(0, 200))}`;
	return output.length > 4_000 ? `it printed ${output.length} characters` : undefined;
}
