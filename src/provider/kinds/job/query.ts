import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { JobQueryType } from "../../../schemas/enums";
import { parseUrn } from "../../model/messages";
import {
	type CheckResult,
	containsUnknown,
	type Props,
	problem,
	UNKNOWN,
} from "../../model/props";
import { isHashOf } from "../../model/salted-hash";
import { holdSecrets } from "../../model/secrets";
import type { Call } from "../../run/context";
import {
	type Content,
	contentName,
	contentOf,
	fetchRemote,
	hashForState,
	sha256,
	unreadable,
} from "../job-file/job-file";

const TYPES: Readonly<Record<string, string>> = {
	".py": JobQueryType.Python,
	".sh": JobQueryType.Shell,
	".bash": JobQueryType.Shell,
};

/** The inputs that give the query: one of them. */
export const SOURCES = ["query", "file"];

export const queryContent = ({ query, file }: Props): Content | undefined =>
	contentOf({ text: query, source: file });

/** Fills in the hash of the query, its type and the job's name; a file that cannot be read is a problem, not a crash. */
export async function withQuery(
	call: Call,
	olds: Props,
	inputs: Props,
): Promise<CheckResult> {
	const given = SOURCES.filter((key) => inputs[key] !== undefined);
	if (given.length !== 1) {
		const text =
			given.length === 0
				? 'a Job needs a query (its text) or a file. Set file to a path such as "./train.py".'
				: "query and file are both given. Keep the one that holds the query.";
		return { inputs, problems: [problem("query", text)] };
	}
	if (containsUnknown([inputs.query, inputs.file])) {
		const unknown = {
			name: inputs.name ?? UNKNOWN,
			queryType: inputs.queryType ?? UNKNOWN,
		};
		return { inputs: { ...inputs, ...unknown, contentHash: UNKNOWN }, problems: [] };
	}
	const content = queryContent(inputs);
	if (content === undefined)
		return { inputs, problems: [problem("file", "the asset has nothing in it.")] };
	const fileName = contentName(content);
	// Part of a secret path would be in plain text under another key.
	const shownName = holdSecrets(call, SOURCES) ? undefined : fileName;
	const name = inputs.name ?? shownName ?? parseUrn(call.urn)?.name;
	try {
		const contentHash = await hashForState(call, olds, content, SOURCES);
		const queryType = inputs.queryType ?? typeOf(fileName);
		if (queryType === undefined) {
			const label =
				shownName === undefined ? "the file's name" : `the name "${shownName}"`;
			const text = `${label} does not say what it is. Set queryType to PYTHON or SHELL.`;
			return { inputs, problems: [problem("queryType", text)] };
		}
		const wrong =
			content.kind === "path" ? fileProblem(await readFile(content.path)) : undefined;
		const problems = wrong === undefined ? [] : [problem("file", wrong)];
		return { inputs: { ...inputs, name, queryType, contentHash }, problems };
	} catch (error) {
		return { inputs, problems: [unreadable("file", error)] };
	}
}

/** What is wrong with a file: a query is sent as text, and the service refuses an empty one. */
function fileProblem(content: Buffer): string | undefined {
	if (content.length === 0) return "is empty: there is nothing to run.";
	return isUtf8(content)
		? undefined
		: "is not UTF-8, and a query must be. Save it in that encoding.";
}

/** A text without a file is Python, as most queries are. */
function typeOf(fileName: string | undefined): string | undefined {
	return fileName === undefined
		? JobQueryType.Python
		: TYPES[extname(fileName).toLowerCase()];
}

/** The query's text as it is now, which must be the one that was checked. */
export async function queryText(inputs: Props): Promise<string> {
	const content = queryContent(inputs);
	if (content === undefined) throw new Error("Job: neither query nor file is given.");
	const bytes = await bytesOf(content);
	if (!isHashOf(inputs.contentHash, sha256(bytes))) {
		throw new Error(
			`The query of job "${String(inputs.name)}" changed while it was being deployed. Run "pulumi up" again to run the new query.`,
		);
	}
	const wrong = fileProblem(bytes);
	if (wrong !== undefined)
		throw new Error(`The file of job "${String(inputs.name)}" ${wrong}`);
	return bytes.toString("utf8");
}

async function bytesOf(content: Content): Promise<Buffer> {
	if (content.kind === "text") return Buffer.from(content.text);
	return content.kind === "path"
		? readFile(content.path)
		: Buffer.from(await fetchRemote(content.uri));
}
