import { errorCode } from "../client/errors";
import { wholeNumber } from "./terminal";

/** The option of commands that serve something. */
export const PORT = [
	"--port <number>",
	"port to listen on (default: a free one)",
	wholeNumber(0, 65_535),
] as const;

/** What a server needs of the system. */
interface Listening {
	readonly host?: string | undefined;
	readonly port?: number | undefined;
	readonly dataFile?: string | undefined;
}

/** Why a server does not start, if the system refuses it something; its own errors are sentences already. */
export function explainStart(
	error: unknown,
	{ host = "127.0.0.1", port, dataFile }: Listening,
): unknown {
	if (!(error instanceof Error && "syscall" in error)) return error;
	const code = errorCode(error);
	if (code === "EADDRINUSE")
		return new Error(
			`Port ${port} on ${host} is in use. Choose another with --port; --port 0 takes a free one.`,
		);
	if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
		return new Error(
			`This machine has no address "${host}" to listen on. Leave --host out for 127.0.0.1.`,
		);
	if (error.syscall === "listen")
		return new Error(
			`Not allowed to listen on port ${port} (${code}). Choose another with --port.`,
		);
	return new Error(
		`The data file "${dataFile}" cannot be used (${code}). Choose another place for it.`,
	);
}
