import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Call } from "../context";
import { type CheckResult, type Props, problem } from "../handler";
import { type Content, contentOf, defaultName } from "../job-file/content";
import { hashForState, sha256 } from "../job-file/content-hash";
import { fetchRemote } from "../job-file/remote";
import { isHashOf } from "../shared/salted-hash";
import { containsUnknown, UNKNOWN } from "../shared/unknown";
import { parseUrn } from "../urn";

const TYPES: Readonly<Record<string, string>> = { py: "PYTHON", sh: "SHELL", bash: "SHELL" };

/** The inputs that give the query: one of them. */
const SOURCES = ["query", "file"];

export const queryContent = ({ query, file }: Props): Content | undefined =>
	contentOf({ text: query, source: file });

/** Fills in the hash of the query, its type and the job's name; a file that cannot be read is a problem, not a crash. */
export async function withQuery(call: Call, olds: Props, inputs: Props): Promise<CheckResult> {
	const given = SOURCES.filter((key) => inputs[key] !== undefined);
	if (given.length !== 1) {
		const text =
			given.length === 0
				? 'a Job needs a query (its text) or a file. Add file: "./train.py".'
				: "query and file are both given. Keep the one that holds the query.";
		return { inputs, problems: [problem("query", text)] };
	}
	if (containsUnknown([inputs.query, inputs.file])) {
		const unknown = { name: inputs.name ?? UNKNOWN, queryType: inputs.queryType ?? UNKNOWN };
		return { inputs: { ...inputs, ...unknown, contentHash: UNKNOWN }, problems: [] };
	}
	const content = queryContent(inputs);
	if (content === undefined) return { inputs, problems: [problem("file", "the asset has nothing in it.")] };
	const fileName = inputs.query === undefined ? defaultName(content) : undefined;
	const name = inputs.name ?? fileName ?? parseUrn(call.urn)?.name;
	const queryType = inputs.queryType ?? typeOf(fileName);
	if (queryType === undefined) {
		const text = `the name "${basename(fileName ?? "")}" does not say what it is. Add queryType: "PYTHON" or "SHELL".`;
		return { inputs, problems: [problem("queryType", text)] };
	}
	try {
		const contentHash = await hashForState(call, olds, content, SOURCES);
		return { inputs: { ...inputs, name, queryType, contentHash }, problems: [] };
	} catch (error) {
		const text = error instanceof Error ? error.message : "it cannot be read.";
		return { inputs, problems: [problem("file", text)] };
	}
}

/** A text without a file is Python, as most queries are. */
function typeOf(fileName: string | undefined): string | undefined {
	if (fileName === undefined) return "PYTHON";
	return TYPES[/\.(\w+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ""];
}

/** The query's text as it is now, which must be what was checked. */
export async function queryText(inputs: Props): Promise<string> {
	const content = queryContent(inputs);
	if (content === undefined) throw new Error("Job: neither query nor file is given.");
	const text = await textOf(content);
	if (isHashOf(inputs.contentHash, sha256(text))) return text;
	throw new Error(
		`The query of job "${String(inputs.name)}" changed while it was being deployed. Run "pulumi up" again to run what is there now.`,
	);
}

async function textOf(content: Content): Promise<string> {
	if (content.kind === "text") return content.text;
	if (content.kind === "path") return readFile(content.path, "utf8");
	return Buffer.from(await fetchRemote(content.uri)).toString("utf8");
}
