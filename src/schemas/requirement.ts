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
/** As pip writes it, as Poetry does (`= "^11"`), npm (`@^11`) and conda (`=11.0=py311_0`). */
const OTHER_OPERATOR = new RegExp(
	`^(${NAME})\\s*(=>|=<|[=@:^~](?!=)|(?<=\\s))\\s*(["']?)([~^]|[~=<>]=)?\\s*(${VERSION})\\3(?:=[\\w.]+)?$`,
);
const ANY_VERSION = new RegExp(`^(${NAME})\\s*[=@:]{1,2}\\s*["']?(?:latest|\\*)["']?$`);
const QUOTED = new RegExp(`^(["'])(${NAME}(?:[~=<>!]=?=?${VERSION})?)\\1$`);
const PIP_COMMAND = /^pip3?\s+install\s+(?:-[A-Za-z-]+\s+)*(\S+)$/;
const WITH_VERSION = `${NAME}(?:\\s*[~=<>!]=?=?\\s*${VERSION})?`;
const SEVERAL = new RegExp(`^${WITH_VERSION}(?:\\s*,\\s*|\\s+)[A-Za-z][^/\\\\#]*$`);
const NO_NAME = /^[~=<>!]=?=?\s*\d/;

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
	const corrected = correctedRequirement(line.trim().replace(/\s+/g, " "));
	if (corrected === undefined) return undefined;
	return {
		message: `${JSON.stringify(line.trim())} ${NOT_READABLE} ${corrected}`,
		withoutValue: `${NOT_READABLE} one to a line, with its version behind ==`,
	};
}

function correctedRequirement(line: string): string | undefined {
	const [, name, operator = "", , inner, version] = OTHER_OPERATOR.exec(line) ?? [];
	if (name !== undefined)
		return `"${name.trim()}${pipOperator(inner ?? operator)}${version}"`;
	const alone = ANY_VERSION.exec(line)?.[1] ?? QUOTED.exec(line)?.[2];
	if (alone !== undefined) return `"${alone.trim()}"`;
	const wanted = PIP_COMMAND.exec(line)?.[1];
	if (wanted !== undefined && !wanted.includes("/")) return `"${wanted}"`;
	if (NO_NAME.test(line)) return "the name of the package before the version";
	return SEVERAL.test(line) ? "one requirement to a line" : undefined;
}

const pipOperator = (operator: string): string => OPERATORS[operator] ?? operator;
