import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { errorCode } from "../api/error-code";
import { teamName } from "../schemas/primitives";
import { type LocalServer, manualClock, type ServerOptions, startServer } from "../server";
import { KeptServer } from "./kept-server";
import { exportLines } from "./shell";

/** Options of `pulumi-datachain serve`, as commander hands them over. */
export interface ServeOptions {
	keep?: string;
	env?: boolean;
	host: string;
	port?: string;
	data?: string;
	empty?: boolean;
	faults?: boolean;
	team?: string;
	tokenFile?: string;
	clock?: string;
	allowRemote?: boolean;
	verbose?: boolean;
}

/** Runs the local server until a signal ends it; or says where the one is that runs. */
export async function serve(options: ServeOptions): Promise<void> {
	const kept = options.keep === undefined ? undefined : new KeptServer(options.keep);
	if (options.env) {
		if (kept !== undefined) return void process.stdout.write(exportLines(await kept.running()));
		throw new Error("--env prints the settings of a server that runs with --keep. Add --keep FOLDER.");
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
	kept?.remember(server.environment);
	// A reader such as `head -3` may be gone before the server is.
	process.stdout.on("error", () => {});
	process.stdout.write(exportLines(server.environment));
	// Only for a person: scripts read the three lines, and the address holds the token.
	if (process.stderr.isTTY) process.stderr.write(`Open ${server.pageUrl} to see the team.\n`);
	await stopped(server);
}

/** By what clients know the server, and where its data is: as the flags say, else as it was the last time. */
function identityOf(options: ServeOptions, kept: KeptServer | undefined): ServerOptions {
	if (kept !== undefined && (options.data !== undefined || options.tokenFile !== undefined)) {
		throw new Error("--keep keeps the data and the token in its folder. Leave out --data and --token-file.");
	}
	const last = kept?.environment;
	const port =
		options.port !== undefined
			? readPort(options.port)
			: last && Number(new URL(last.DATACHAIN_STUDIO_URL).port);
	const team = options.team ?? last?.DATACHAIN_STUDIO_TEAM;
	if (team !== undefined && (!teamName.safeParse(team).success || team.trim() === "")) {
		throw new Error("--team must be a name of 1 to 255 characters, without control characters.");
	}
	const token = options.tokenFile === undefined ? last?.DATACHAIN_STUDIO_TOKEN : readToken(options.tokenFile);
	return { port, teamName: team, token, dataFile: kept?.dataFile ?? options.data };
}

function explainStart(error: unknown, { host, port, dataFile }: ServerOptions): unknown {
	switch (errorCode(error)) {
		case "EADDRINUSE":
			return new Error(
				`Port ${port} on ${host} is in use. Choose another with --port; --port 0 takes a free one.`,
			);
		case "EACCES":
			return error instanceof Error && "syscall" in error && error.syscall === "listen"
				? new Error(`Not allowed to listen on port ${port}. Choose another with --port.`)
				: new Error(`Not allowed to write the data file "${dataFile}". Choose another place for it.`);
		case "EADDRNOTAVAIL":
		case "ENOTFOUND":
			return new Error(`This machine has no address "${host}" to listen on. Leave --host out for 127.0.0.1.`);
		default:
			return error;
	}
}

function readPort(text: string): number {
	const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
	if (!(port <= 65_535)) throw new Error(`--port must be a number from 0 to 65535, not "${text}".`);
	return port;
}

const LOOPBACK = /^(localhost|::1|127(\.\d{1,3}){3})$/;

/** Whoever reaches the port can try tokens, and they travel unencrypted: that has to be a decision. */
function checkHost({ host, allowRemote }: ServeOptions): void {
	if (LOOPBACK.test(host)) return;
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

function stopped(server: LocalServer): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = (): void => {
			process.off("SIGINT", stop).off("SIGTERM", stop);
			server.close().then(resolve, reject);
		};
		process.on("SIGINT", stop).on("SIGTERM", stop);
	});
}
