/** One call of the command line that must fail, and say why. */
export interface CommandCase {
	readonly name: string;
	readonly args: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	/** What the Pulumi CLI prints, where there is one; `code` other than 0 makes it fail. */
	readonly pulumi?: { readonly stdout?: string; readonly stderr?: string; readonly code?: number };
	/** Files in the folder it runs in. */
	readonly files?: Readonly<Record<string, string>>;
}

/** Must be found in no output. */
export const CANARY = "canary-of-the-command-line";

const ESCAPE = "\u001b[2J\u001b]0;title\u0007";
const EMPTY_STATE = '{"version":3,"deployment":{"resources":[]}}';
const LONG = "9".repeat(100_000);

const serveWith = (name: string, ...args: string[]): CommandCase => ({
	name: `serve: ${name}`,
	args: ["serve", ...args],
});

function serving(): CommandCase[] {
	const data = (name: string, text: string): CommandCase => ({
		...serveWith(name, "--data", "team.json"),
		files: { "team.json": text },
	});
	return [
		serveWith("a port with an escape sequence", "--port", ESCAPE),
		serveWith("a port of 100,000 digits", "--port", LONG),
		serveWith("a negative port", "--port=-1"),
		serveWith("a host with a line break", "--host", "127.0.0.1\nX"),
		serveWith("a host that is none", "--host", "127.0.0.999"),
		serveWith("a host anyone can reach", "--host", "::"),
		serveWith("a team that adds a line to the output", "--team", "x\nDATACHAIN_STUDIO_TOKEN=stolen"),
		serveWith("a team with an escape sequence", "--team", ESCAPE),
		serveWith("a team of 100,000 characters", "--team", LONG),
		serveWith("a team of white space", "--team", "  "),
		serveWith("a clock far beyond any date", "--clock", LONG),
		serveWith("a clock with an escape sequence", "--clock", ESCAPE),
		serveWith("a folder for a data file", "--data", "."),
		serveWith("a data file below a file", "--data", "/dev/null/x"),
		serveWith("a data file with an escape sequence", "--data", `${ESCAPE}/x`),
		data(
			"a data file with teams of the wrong type",
			'{"format":1,"nextFileId":1,"nextScheduleId":1,"teams":"x"}',
		),
		data("a data file of 100,000 brackets", "[".repeat(100_000)),
		data("a data file that is not UTF-8", "\u0000\ufffd"),
		data("a data file with a prototype", '{"__proto__":{"format":1,"teams":[]}}'),
		{
			...serveWith("a token file of two lines", "--token-file", "token"),
			files: { token: `${CANARY}\nX-Injected: 1\n` },
		},
		serveWith("a folder for a token file", "--token-file", "."),
	];
}

const CONNECTIONS: readonly [string, Record<string, string>][] = [
	["a token with a line break", { DATACHAIN_STUDIO_TOKEN: `${CANARY}\nX-Injected: 1` }],
	["a token beyond ASCII", { DATACHAIN_STUDIO_TOKEN: `${CANARY}\u00e9` }],
	["a team with a line break", { DATACHAIN_STUDIO_TEAM: "vision\nINJECTED=1" }],
	["a team of 100,000 characters", { DATACHAIN_STUDIO_TEAM: LONG }],
	["a password in the URL", { DATACHAIN_STUDIO_URL: `https://user:${CANARY}@studio.invalid` }],
	["a URL without encryption", { DATACHAIN_STUDIO_URL: "http://studio.invalid" }],
	["a URL that is a script", { DATACHAIN_STUDIO_URL: "javascript:alert(1)" }],
	["a URL with a line break", { DATACHAIN_STUDIO_URL: "https://studio.invalid/\nX" }],
	["a URL with an escape sequence", { DATACHAIN_STUDIO_URL: `https://${ESCAPE}` }],
];

function connecting(): CommandCase[] {
	const pulumi = { stdout: EMPTY_STATE };
	return CONNECTIONS.flatMap(([name, env]) =>
		["drift", "export", "doctor"].map((command) => ({
			name: `${command}: ${name}`,
			args: [command],
			env,
			pulumi,
		})),
	);
}

function drifting(): CommandCase[] {
	const drift = (name: string, ...args: string[]): CommandCase => ({
		name: `drift: ${name}`,
		args: ["drift", ...args],
	});
	const state = (name: string, stdout: string): CommandCase => ({ ...drift(name), pulumi: { stdout } });
	return [
		drift("a kind that is __proto__", "--fail-on", "__proto__"),
		drift("a kind with an escape sequence", "--fail-on", ESCAPE),
		drift("an interval of nothing", "--watch", "0s"),
		drift("an interval of ages", "--watch", "999999h"),
		drift("an interval with an escape sequence", "--watch", ESCAPE),
		{
			...drift("a stack that is an option", "--stack", "--show-secrets"),
			pulumi: { code: 1, stderr: "error: no stack named '--show-secrets' found" },
		},
		{
			...drift("a complaint with escape sequences"),
			pulumi: { code: 1, stderr: `error: ${ESCAPE} no`, stdout: CANARY },
		},
		{ ...drift("a page in no folder", "--html", "no/such/page.html"), pulumi: { stdout: EMPTY_STATE } },
		state("a state that is no JSON", `not JSON ${CANARY}`),
		state("a state of 100,000 brackets", "[".repeat(100_000)),
		state("a state of the wrong types", `{"deployment":{"resources":[{"urn":7,"type":"${CANARY}"}]}}`),
		state("an empty state", ""),
		{ ...drift("no Pulumi CLI") },
	];
}

function others(): CommandCase[] {
	return [
		{ name: "export: a file for a folder", args: ["export", "--out", "there"], files: { there: "x" } },
		{ name: "export: a folder that cannot be", args: ["export", "--out", "/dev/null/x"] },
		{ name: "export: a folder with an escape sequence", args: ["export", "--out", `/dev/null/${ESCAPE}`] },
		{ name: "export: a team with a line break", args: ["export", "--team", "a\nb"] },
		{ name: "export: a stack without a use", args: ["export", "--stack", "; touch owned"] },
		{
			name: "export: a server that is not there",
			args: ["export"],
			env: { DATACHAIN_STUDIO_URL: "http://127.0.0.1:9" },
		},
		{ name: "a command that is __proto__", args: ["__proto__"] },
		{ name: "a command that is constructor", args: ["constructor"] },
		{ name: "a command with an escape sequence", args: [ESCAPE] },
		{ name: "an option with an escape sequence", args: ["drift", `--${ESCAPE}`] },
		{ name: "an option of 100,000 characters", args: ["drift", `--${LONG}`] },
	];
}

export const commandCases: readonly CommandCase[] = [
	...serving(),
	...connecting(),
	...drifting(),
	...others(),
];
