/** The name of a package, with its extras: `torch[cpu]`. */
const NAME = String.raw`[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?(?:\s*\[[\w\s,.-]*\])?`;
const VERSION = String.raw`\d[\w.*+!-]*`;

/** What other tools write between a name and a version, and what pip reads there. */
const OPERATORS: Readonly<Record<string, string>> = {
	"": "==",
	"=": "==",
	"@": "==",
	":": "==",
	"^": ">=",
	"~": "~=",
	"=>": ">=",
	"=<": "<=",
};
const OTHER_OPERATOR = new RegExp(
	`^(${NAME})\\s*(=>|=<|[=@:^~](?!=)|(?<=\\s))\\s*(${VERSION})$`,
);
const PIP_COMMAND = /^pip3?\s+install\s+(?:-[A-Za-z-]+\s+)*(\S+)$/;
const SEVERAL = new RegExp(`^${NAME}(?:\\s*,\\s*|\\s+)[A-Za-z][^/\\\\#]*$`);

interface RequirementProblem {
	readonly message: string;
	/** The same where the line may be a secret. */
	readonly withoutValue: string;
}

const NOT_READABLE = "is no requirement that pip can read: write";

/**
 * The usual mistakes in a line of requirements, with what to write instead; undefined for any other line, because pip reads
 * more than a check can know. A line with a URL or a path is never shown.
 */
export function requirementProblem(line: string): RequirementProblem | undefined {
	const instead = repaired(line.trim().replace(/\s+/g, " "));
	if (instead === undefined) return undefined;
	return {
		message: `${JSON.stringify(line.trim())} ${NOT_READABLE} ${instead}`,
		withoutValue: `${NOT_READABLE} one to a line, with its version behind ==`,
	};
}

function repaired(line: string): string | undefined {
	const [, name, operator = "", version] = OTHER_OPERATOR.exec(line) ?? [];
	if (name !== undefined) return `"${name.trim()}${OPERATORS[operator]}${version}"`;
	const wanted = PIP_COMMAND.exec(line)?.[1];
	if (wanted !== undefined && !wanted.includes("/")) return `"${wanted}"`;
	return SEVERAL.test(line) ? "one requirement to a line" : undefined;
}
