import { existsSync } from "node:fs";
import type { Call } from "../context";
import { type CheckResult, type Problem, type Props, problem, type ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { compact, pick, without } from "../shared/json";
import { isHashOf } from "../shared/salted-hash";
import { holdSecrets } from "../shared/secrets";
import { diffByTable, withOld } from "../shared/table";
import { withTeam } from "../shared/team";
import { containsUnknown, UNKNOWN } from "../shared/unknown";
import { contentOf, defaultName, uploadSource } from "./content";
import { hashForState, inOneForm } from "./content-hash";
import { JOB_FILE_FIELDS } from "./fields";

const INPUTS = Object.keys(JOB_FILE_FIELDS);
/** The inputs that give the content: one of them. */
const SOURCES = ["source", "text"];

export const jobFile: ResourceHandler = {
	fields: JOB_FILE_FIELDS,

	async check(call, olds, news) {
		const { inputs, problems } = withTeam(call, olds, news);
		const found = [
			...problems,
			...checkFields(JOB_FILE_FIELDS, olds, inputs),
			...oneSource(inputs),
			...pathAsText(inputs),
		];
		if (found.length > 0) return { inputs, problems: found };
		const { inputs: read, problems: unreadable } = await hashed(call, olds, inputs);
		// Only the engine gives the hash, where changes of the content are ignored.
		const ignored = inputs.contentHash === undefined ? [] : ["contentHash"];
		const complete = withOld(JOB_FILE_FIELDS, olds, read, ignored);
		return { inputs: { ...complete, ...foretold(call, olds, complete) }, problems: unreadable };
	},

	async diff(_call, _id, olds, news) {
		// Nothing is adopted by name and nothing is deleted, so the new file may be there before the old is forgotten.
		const known = inOneForm(olds, news, contentOf(news));
		const result = diffByTable(JOB_FILE_FIELDS, known, news, { deleteFirst: false });
		// The same bytes under another form of hash: only the state changes.
		return { ...result, changes: result.changes || olds.contentHash !== known.contentHash };
	},

	async create(call, inputs) {
		const content = contentOf(inputs);
		if (content === undefined) throw new Error("JobFile: neither source nor text is given.");
		const name = String(inputs.name);
		const team = String(inputs.teamName);
		// How long a file takes depends on its size, and the client bounds it by that, not by the operation's time.
		const options = { team_name: team, signal: new AbortController().signal };
		const sent = await call.client.jobs.uploadFile(await uploadSource(content, name), options);
		const { file } = sent;
		if (file.error || file.state?.toLowerCase() === "failed") {
			throw new Error(
				`The service could not store file "${name}" in team "${team}" (state ${JSON.stringify(file.state ?? "unknown")}). ` +
					'Check the file and run "pulumi up" again.',
			);
		}
		if (!isHashOf(inputs.contentHash, sent.sha256)) {
			throw new Error(
				`File "${name}" changed while it was being deployed. Run "pulumi up" again to upload what is there now.`,
			);
		}
		const outs = {
			fileId: String(file.id),
			filename: shownName(call, file.filename ?? name),
			size: sent.size,
			state: file.state,
			serviceUrl: call.serviceUrl,
		};
		return { id: String(file.id), outs: compact({ ...pick(inputs, INPUTS), ...outs }) };
	},

	/** Nothing in the API reads a file back: the state is all there is. */
	async read(_call, id, outs) {
		if (outs.contentHash === undefined) {
			throw new Error(
				`File ${id} cannot be imported: the service shows no file again. Declare a JobFile with its source, which uploads it anew.`,
			);
		}
		return { state: { id, outs, inputs: pick(outs, INPUTS) } };
	},

	async update(call, _id, olds, news) {
		const filename = shownName(call, olds.filename ?? news.name);
		// An input that the program took away goes from the state too: it may hold what is a secret now.
		return { outs: compact({ ...without(olds, INPUTS), filename, ...pick(news, INPUTS) }) };
	},

	async delete(call) {
		call.notice(
			"The service has no request that deletes an uploaded file: Pulumi forgets it, the file itself stays on the service.",
		);
	},
};

/** The output is left out where the name is a secret, because nothing would keep it one there. */
const shownName = (call: Call, name: unknown): unknown => (holdSecrets(call, ["name"]) ? undefined : name);

function oneSource(inputs: Props): Problem[] {
	const given = SOURCES.filter((key) => inputs[key] !== undefined);
	if (given.length === 1) return [];
	const text =
		given.length === 0
			? 'a JobFile needs a source (a path or an asset) or a text. Add source: "./prepare.py".'
			: "source and text are both given. Keep the one that holds the file's content.";
	return [problem("source", text)];
}

/** The path of a file that is there was hardly meant as the whole content of another one. */
function pathAsText({ text }: Props): Problem[] {
	if (typeof text !== "string" || !/^\S{1,500}\.\w{1,5}$/.test(text) || !existsSync(text)) return [];
	return [problem("text", "is the path of a file, and text is the content itself. Give the path as source.")];
}

/**
 * The outputs of a replacement, as far as a preview can know them. The new file is made before the old one is forgotten,
 * and then the engine's preview compares outputs with inputs: what is not among them would be shown as removed. What it
 * compares are the inputs of a second check, without old ones, which it asks for where the diff says "replace".
 */
function foretold(call: Call, olds: Props, inputs: Props): Props {
	const isAgain = call.declared.has(call.urn);
	call.declared.set(call.urn, inputs);
	if (!call.preview || !isAgain || Object.keys(olds).length > 0) return {};
	const filename = shownName(call, inputs.name);
	return { fileId: UNKNOWN, filename, size: UNKNOWN, state: UNKNOWN, serviceUrl: call.serviceUrl };
}

/** Adds the hash of the bytes and, where none is given, the name; a file that cannot be read is a problem, not a crash. */
async function hashed(call: Call, olds: Props, inputs: Props): Promise<CheckResult> {
	if (containsUnknown(pick(inputs, SOURCES))) {
		// The name may come from the source; leaving it out would look like another name.
		return { inputs: { ...inputs, name: inputs.name ?? UNKNOWN, contentHash: UNKNOWN }, problems: [] };
	}
	const content = contentOf(inputs);
	if (content === undefined) {
		const text = 'the asset has neither a path, a text nor an address. Use source: "./prepare.py", or text.';
		return { inputs, problems: [problem("source", text)] };
	}
	const name = inputs.name ?? defaultName(content);
	if (name === undefined) {
		const text = 'a text has no name of its own. Add name: "config.json".';
		return { inputs, problems: [problem("name", text)] };
	}
	try {
		const contentHash = await hashForState(call, olds, content, SOURCES);
		return { inputs: { ...inputs, name, contentHash }, problems: [] };
	} catch (error) {
		const text = error instanceof Error ? error.message : "it cannot be read";
		return { inputs, problems: [problem("source", text)] };
	}
}
