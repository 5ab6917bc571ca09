const EXIT = /^[ \t]*(?:raise[ \t]+SystemExit\(|(?:sys\.)?exit[ \t(]+)[ \t]*(\d{1,3})\)?[ \t]*$/m;
const PRINT = /^[ \t]*(?:print\((["'])(.*)\1\)|echo[ \t]+(.*))[ \t]*$/;
const LINES = /^[ \t]*#[ \t]*local-server:[ \t]*lines=(\d{1,6})[ \t]*$/m;
const HOLD = /^[ \t]*#[ \t]*local-server:[ \t]*hold[ \t]*$/m;

/** One log entry stays far below a WebSocket frame's limit of 1 MiB, even where JSON escapes every character. */
const LONGEST_ENTRY = 60_000;
/** Longer ones are cut by code points, of which one may count twice, so that no character is torn. */
const PIECES = /.{1,30000}/gsu;

/**
 * What running a query does here. Nothing is executed; the text alone decides, so that a test can foresee it:
 * - a line `raise SystemExit(N)`, `exit(N)`, `sys.exit(N)` or `exit N` with N above 0 makes the job fail with N;
 * - each line `print("text")` or `echo text` logs its text;
 * - a comment `# local-server: lines=N` logs N numbered lines, `# local-server: hold` runs until it is cancelled.
 */
export function readScript(query: string) {
	const output: string[] = [];
	for (const line of query.split("\n")) {
		const match = PRINT.exec(line);
		if (match === null) continue;
		const text = `${match[2] ?? match[3] ?? ""}\n`;
		if (text.length > LONGEST_ENTRY) output.push(...(text.match(PIECES) ?? []));
		else output.push(text);
	}
	const numbered = Math.min(Number(LINES.exec(query)?.[1] ?? 0), 200_000);
	for (let line = 1; line <= numbered; line++) output.push(`line ${line}\n`);
	return { exitCode: Number(EXIT.exec(query)?.[1] ?? 0), output, holds: HOLD.test(query) };
}
