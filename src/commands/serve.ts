import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import type { Command } from "commander";
import { boardAtRoot, rootPageUrl } from "../board/root-page";
import { isLoopback } from "../client/connection";
import { errorCode } from "../client/errors";
import { teamName } from "../schemas/primitives";
import { manualClock, type ServerOptions, startServer } from "../server";
import { explainStart, PORT } from "./listening";
import { type ServerEnvironment, ServerFolder } from "./server-folder";
import { aborted, exportLines, interruptible, notify, say } from "./terminal";

interface ServeOptions {
	keep?: string;
	env?: boolean;
	stop?: boolean;
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
		.option(
			"--keep <folder>",
			"keep port, token, team and data in this folder: the next server is the same",
		)
		.option("--env", "print the settings of the server that runs with --keep, and end")
		.option("--stop", "end the server that runs with --keep")
		.option("--host <address>", "where to listen", "127.0.0.1")
		.option(...PORT)
		.option("--data <file>", "keep only the data, in this file")
		.option("--empty", "start with an empty team")
		.option(
			"--faults",
			"allow tests to make requests fail, with POST /api/_test/faults",
		)
		.option("--team <name>", 'name of the team (default: "vision")')
		.option(
			"--token-file <file>",
			"read the token from this file; if it is missing, create it with a new token",
		)
		.option(
			"--clock <instant>",
			"stop the clock at this ISO 8601 time; POST /api/_test/clock moves it",
		)
		.option("--allow-remote", "allow a --host that other machines can reach")
		.option("--verbose", "log each request to stderr")
		.addHelpText("after", EXAMPLES)
		.action(serve);

const EXAMPLES = `
Prints three lines to stdout once it is ready, and runs until Ctrl-C. Paste them into the shell in which you run Pulumi
(bash, zsh, sh; in PowerShell write $env:NAME = "value", in fish set -x NAME value). On stderr it says where the
team's page is, and so does --env. To end a server in the background, use --stop: "npx ... &" leaves a shell with the
process id of npx, which does not pass a signal on.

Examples:
  $ pulumi-datachain serve
  $ pulumi-datachain serve --empty --faults --verbose

  One server for a while, with its settings in any terminal:
  $ pulumi-datachain serve --keep .studio
  $ eval "$(pulumi-datachain serve --keep .studio --env)"
  $ pulumi-datachain serve --keep .studio --stop
  $ curl -H "Authorization: Bearer $DATACHAIN_STUDIO_TOKEN" "$DATACHAIN_STUDIO_URL/api/datachain/clusters/"
`;

/** Runs the local server until a signal ends it; or says where the one is that runs. */
async function serve(options: ServeOptions): Promise<void> {
	const folder =
		options.keep === undefined ? undefined : new ServerFolder(options.keep);
	if (options.env) {
		if (folder === undefined)
			throw new Error(
				"--env prints the settings of a server that runs with --keep. Add --keep FOLDER.",
			);
		const running = await folder.running();
		process.stdout.write(exportLines(running));
		return tellPage(running);
	}
	if (options.stop) {
		if (folder === undefined)
			throw new Error(
				"--stop ends the server that runs with --keep. Add --keep FOLDER.",
			);
		return say(`The server at ${await folder.stop()} has ended.`);
	}
	const identity = identityOf(options, folder);
	await folder?.refuseSecond();
	checkHost(options);
	folder?.prepare();
	const settings: ServerOptions = {
		host: options.host,
		...identity,
		empty: options.empty,
		faults: options.faults,
		rootPage: boardAtRoot,
		clock: options.clock === undefined ? undefined : manualClock(options.clock),
		log: (line) => {
			if (options.verbose || line.startsWith("error:"))
				process.stderr.write(`${line}\n`);
		},
	};
	const server = await startServer(settings).catch((error: unknown) => {
		throw explainStart(error, settings);
	});
	try {
		folder?.remember(server.environment);
		process.stdout.write(exportLines(server.environment));
		if (process.stdout.isTTY) tellPage(server.environment);
		else
			notify(
				`The team's page is at ${server.url}/. "pulumi-datachain board" opens it with these settings.`,
			);
		await interruptible(aborted);
	} finally {
		await server.close();
		folder?.forget();
	}
}

/** Says where the team's page is. Only a person gets the key with it: stderr may be kept in a log. */
function tellPage({
	DATACHAIN_STUDIO_URL: url,
	DATACHAIN_STUDIO_TOKEN: token,
}: ServerEnvironment): void {
	const address = process.stderr.isTTY
		? rootPageUrl(url, token)
		: `${url}/ (a terminal shows the whole address)`;
	say(`To see the team, open ${address}`);
}

/** By what clients know the server, and where its data is: as the flags say, else as it was the last time. */
function identityOf(
	options: ServeOptions,
	folder: ServerFolder | undefined,
): ServerOptions {
	if (
		folder !== undefined &&
		(options.data !== undefined || options.tokenFile !== undefined)
	) {
		throw new Error(
			"--keep keeps the data and the token in its folder. Leave out --data and --token-file.",
		);
	}
	const last = folder?.environment;
	const port =
		options.port ?? (last && Number(new URL(last.DATACHAIN_STUDIO_URL).port));
	const team = options.team ?? last?.DATACHAIN_STUDIO_TEAM;
	if (team !== undefined && (!teamName.safeParse(team).success || team.trim() === "")) {
		throw new Error(
			"--team must be a name of 1 to 255 characters, without control characters.",
		);
	}
	const token =
		options.tokenFile === undefined
			? last?.DATACHAIN_STUDIO_TOKEN
			: readToken(options.tokenFile);
	return { port, teamName: team, token, dataFile: folder?.dataFile ?? options.data };
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
