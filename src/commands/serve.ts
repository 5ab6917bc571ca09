import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { z } from "zod";
import { isLoopback } from "../api/connection";
import { errorCode } from "../api/errors";
import { shellWord } from "../report/report";
import { endpoints } from "../schemas/endpoints";
import { teamName } from "../schemas/primitives";
import { manualClock, pageUrl, type ServerOptions, startServer } from "../server";
import { aborted, explainStart, exportLines, interruptible, PORT, say } from "./terminal";

interface ServeOptions {
	keep?: string;
	env?: boolean;
	host: string;
	port?: number;
	data?: string;
	empty?: boolean;
	faults?: boolean;
	team?: string;
	tokenFile?: string;
	clock?: string;
	allowRemote?: boolean;
	verbose?: boolean;
}

export const define = (command: Command): Command =>
	command
		.option("--keep <folder>", "keep port, token, team and data in this folder: the next server is the same")
		.option("--env", "print the settings of the server that runs with --keep, and end")
		.option("--host <address>", "where to listen", "127.0.0.1")
		.option(...PORT)
		.option("--data <file>", "keep only the data, in this file")
		.option("--empty", "start with a team that has nothing in it")
		.option("--faults", "allow tests to make requests fail, with POST /api/_test/faults")
		.option("--team <name>", 'name of the team (default: "vision")')
		.option(
			"--token-file <file>",
			"read the token from this file; if it is missing, create it with a new token",
		)
		.option("--clock <instant>", "stop the clock at this ISO 8601 time; POST /api/_test/clock moves it")
		.option("--allow-remote", "let a --host that other machines can reach be used")
		.option("--verbose", "log each request to stderr")
		.addHelpText("after", EXAMPLES)
		.action(serve);

const EXAMPLES = `
Prints three lines to stdout once it is ready, and runs until Ctrl-C. Paste them into the shell in which you run Pulumi
(bash, zsh, sh; in PowerShell write $env:NAME = "value", in fish set -x NAME value). On a terminal it also says where
the team's page is; --env says it too, on stderr.

Examples:
  $ pulumi-datachain serve
  $ pulumi-datachain serve --empty --faults --verbose

  One server for a while, with its settings in any terminal:
  $ pulumi-datachain serve --keep .studio
  $ eval "$(pulumi-datachain serve --keep .studio --env)"
  $ curl -H "Authorization: Bearer $DATACHAIN_STUDIO_TOKEN" "$DATACHAIN_STUDIO_URL/api/datachain/clusters/"
`;

/** Runs the local server until a signal ends it; or says where the one is that runs. */
async function serve(options: ServeOptions): Promise<void> {
	const kept = options.keep === undefined ? undefined : new KeptServer(options.keep);
	if (options.env) {
		if (kept === undefined)
			throw new Error("--env prints the settings of a server that runs with --keep. Add --keep FOLDER.");
		const running = await kept.running();
		process.stdout.write(exportLines(running));
		return tellPage(running);
	}
	const identity = identityOf(options, kept);
	checkHost(options);
	kept?.prepare();
	const settings: ServerOptions = {
		host: options.host,
		...identity,
		empty: options.empty,
		faults: options.faults,
		clock: options.clock === undefined ? undefined : manualClock(options.clock),
		log: (line) => {
			if (options.verbose || line.startsWith("error:")) process.stderr.write(`${line}\n`);
		},
	};
	const server = await startServer(settings).catch((error: unknown) => {
		throw explainStart(error, settings);
	});
	try {
		kept?.remember(server.environment);
		process.stdout.write(exportLines(server.environment));
		// Whoever sends the three lines elsewhere gets the address with them, from --env.
		if (process.stdout.isTTY) tellPage(server.environment);
		await interruptible(aborted);
	} finally {
		await server.close();
	}
}

/** Says where the team's page is. Only a person gets the key with it: stderr may be kept in a log. */
function tellPage({ DATACHAIN_STUDIO_URL: url, DATACHAIN_STUDIO_TOKEN: token }: Environment): void {
	const address = process.stderr.isTTY ? pageUrl(url, token) : `${url}/ (a terminal shows the whole address)`;
	say(`To see the team, open ${address}`);
}

/** By what clients know the server, and where its data is: as the flags say, else as it was the last time. */
function identityOf(options: ServeOptions, kept: KeptServer | undefined): ServerOptions {
	if (kept !== undefined && (options.data !== undefined || options.tokenFile !== undefined)) {
		throw new Error("--keep keeps the data and the token in its folder. Leave out --data and --token-file.");
	}
	const last = kept?.environment;
	const port = options.port ?? (last && Number(new URL(last.DATACHAIN_STUDIO_URL).port));
	const team = options.team ?? last?.DATACHAIN_STUDIO_TEAM;
	if (team !== undefined && (!teamName.safeParse(team).success || team.trim() === "")) {
		throw new Error("--team must be a name of 1 to 255 characters, without control characters.");
	}
	const token = options.tokenFile === undefined ? last?.DATACHAIN_STUDIO_TOKEN : readToken(options.tokenFile);
	return { port, teamName: team, token, dataFile: kept?.dataFile ?? options.data };
}

/** Whoever reaches the port can try tokens, and they travel unencrypted: that has to be a decision. */
function checkHost({ host, allowRemote }: ServeOptions): void {
	if (isLoopback(host === "::1" ? `[${host}]` : host)) return;
	if (allowRemote !== true) {
		throw new Error(
			`Other machines may be able to reach "${host}", and the token would travel unencrypted. Add --allow-remote if that is what you want, or leave --host out.`,
		);
	}
	process.stderr.write(
		`warning: listening on "${host}": other machines may reach this server, and nothing is encrypted.\n`,
	);
}

/** The token is not taken from DATACHAIN_STUDIO_TOKEN: that may be a real one, and this command prints its token. */
function readToken(file: string): string {
	let text: string;
	try {
		text = readFileSync(file, "utf8").trim();
	} catch (error) {
		if (errorCode(error) !== "ENOENT") {
			throw new Error(
				`The token file "${file}" cannot be read. Check that it is a file, and its permissions.`,
			);
		}
		text = `dcl_${randomBytes(24).toString("base64url")}`;
		writeFileSync(file, `${text}\n`, { mode: 0o600, flag: "wx" });
	}
	if (!/^[\x21-\x7e]{8,500}$/.test(text)) {
		throw new Error(
			`The token file "${file}" must hold one token: 8 or more printable characters, no spaces.`,
		);
	}
	return text;
}

const environmentSchema = z.object({
	DATACHAIN_STUDIO_URL: z.url(),
	DATACHAIN_STUDIO_TOKEN: z.string(),
	DATACHAIN_STUDIO_TEAM: z.string(),
});

/** What a client needs to find a server. */
type Environment = z.infer<typeof environmentSchema>;

/** What a folder of `serve --keep` holds, so that the next server is the same to its clients. */
export class KeptServer {
	readonly dataFile: string;
	private readonly file: string;

	constructor(private readonly folder: string) {
		this.dataFile = join(folder, "team.json");
		this.file = join(folder, "connection.json");
	}

	/** The settings of the last server; undefined if there was none. */
	get environment(): Environment | undefined {
		try {
			return environmentSchema.parse(JSON.parse(readFileSync(this.file, "utf8")));
		} catch (error) {
			if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return undefined;
			throw new Error(
				`The file "${this.file}" cannot be read. Remove it; the server then creates a new one.`,
			);
		}
	}

	prepare(): void {
		this.use(() => {
			mkdirSync(this.folder, { recursive: true, mode: 0o700 });
			const ignored = join(this.folder, ".gitignore");
			// The folder most likely lies in somebody's repository, and may even be its root: only our own files are hidden.
			if (!existsSync(ignored)) writeFileSync(ignored, "/.gitignore\n/connection.json*\n/team.json*\n");
		});
	}

	remember(environment: Environment): void {
		this.use(() => {
			const next = `${this.file}.${process.pid}`;
			writeFileSync(next, `${JSON.stringify(environment, undefined, 2)}\n`, { mode: 0o600 });
			renameSync(next, this.file);
		});
	}

	private use(write: () => void): void {
		try {
			write();
		} catch (error) {
			throw new Error(
				`The folder "${this.folder}" cannot be used (${errorCode(error)}). Choose another with --keep.`,
			);
		}
	}

	/** The settings of the server that runs now. One that was started a moment ago is waited for. */
	async running(waitMillis = WAIT_MILLIS): Promise<Environment> {
		const end = Date.now() + waitMillis;
		do {
			const { environment } = this;
			if (environment !== undefined && (await answers(environment))) return environment;
			await sleep(200);
		} while (Date.now() < end);
		throw new Error(
			`No server runs with --keep "${this.folder}". Start it: pulumi-datachain serve --keep ${shellWord(this.folder)}`,
		);
	}
}

const WAIT_MILLIS = 20_000;

/** Whether it is that server, and not another one that has got its port. */
async function answers(environment: Environment): Promise<boolean> {
	const { DATACHAIN_STUDIO_URL: url, DATACHAIN_STUDIO_TOKEN: token } = environment;
	const team = encodeURIComponent(environment.DATACHAIN_STUDIO_TEAM);
	const request = { headers: { Authorization: `Bearer ${token}` }, signal: AbortSignal.timeout(2_000) };
	return fetch(`${url}/api${endpoints.listClusters.path}?team_name=${team}`, request).then(
		({ ok }) => ok,
		() => false,
	);
}
