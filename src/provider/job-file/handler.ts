import { jobFileArgsShape } from "../../schemas/job-file-args";
import type { Problem, Props, ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { diffByTable, type FieldTable } from "../shared/field-table";
import { compact, pick } from "../shared/json";
import { withTeam } from "../shared/team";
import { containsUnknown, UNKNOWN } from "../shared/unknown";
import { type Content, contentHash, contentOf, defaultName, uploadSource } from "./content";

/** Only the bytes, the name and the team make a file; where the bytes come from does not matter. */
const FIELDS: FieldTable = {
	contentHash: { effect: "replace" },
	name: { effect: "replace" },
	teamName: { effect: "replace" },
	source: { effect: "ignore" },
	text: { effect: "ignore" },
};

const INPUTS = Object.keys(jobFileArgsShape);

export const jobFile: ResourceHandler = {
	fields: FIELDS,

	async check(context, olds, news) {
		const { inputs, problems } = withTeam(context, olds, news);
		const found = [...problems, ...checkFields(jobFileArgsShape, inputs), ...oneSource(inputs)];
		if (found.length > 0) return { inputs, problems: found };
		if (containsUnknown(pick(inputs, ["source", "text"]))) {
			// The name may come from the source; leaving it out would look like another name, and replace the file.
			const name = inputs.name ?? UNKNOWN;
			return { inputs: { ...inputs, name, contentHash: UNKNOWN }, problems: [] };
		}
		return hashed(inputs);
	},

	async diff(_context, _id, olds, news) {
		// Nothing is adopted by name and nothing is deleted, so the new file may be there before the old is forgotten.
		return diffByTable(FIELDS, olds, news, { deleteFirst: false });
	},

	async create(context, inputs) {
		const content = contentOf(inputs);
		if (content === undefined) throw new Error("JobFile: neither source nor text is given.");
		const name = String(inputs.name);
		const team = String(inputs.teamName);
		const { file, sha256, size } = await context.client.jobs.uploadFile(await uploadSource(content, name), {
			team_name: team,
		});
		if (file.error || file.state?.toLowerCase() === "failed") {
			throw new Error(
				`The service could not store file "${name}" in team "${team}" (state ${JSON.stringify(file.state ?? "unknown")}). ` +
					'Check the file and run "pulumi up" again.',
			);
		}
		if (sha256 !== inputs.contentHash) {
			throw new Error(
				`File "${name}" changed while it was being deployed. Run "pulumi up" again to upload what is there now.`,
			);
		}
		const outs = {
			fileId: String(file.id),
			filename: file.filename ?? name,
			size,
			state: file.state,
			serviceUrl: context.serviceUrl,
		};
		return { id: String(file.id), outs: compact({ ...pick(inputs, INPUTS), ...outs }) };
	},

	/** Nothing in the API reads a file back: the state is all there is. */
	async read(_context, id, outs) {
		return { state: { id, outs, inputs: pick(outs, INPUTS) } };
	},

	async update(_context, _id, olds, news) {
		return { outs: compact({ ...olds, ...pick(news, INPUTS) }) };
	},

	async delete(context) {
		context.notice(
			"The service has no request that deletes an uploaded file: Pulumi forgets it, the file itself stays on the service.",
		);
	},
};

function oneSource(inputs: Props): Problem[] {
	const given = ["source", "text"].filter((key) => inputs[key] !== undefined);
	if (given.length === 1) return [];
	const reason =
		given.length === 0
			? 'source: a JobFile needs a source (a path or an asset) or a text. Add source: "./prepare.py".'
			: "source: source and text are both given. Keep the one that holds the file's content.";
	return [{ field: "source", reason }];
}

/** Adds the hash of the bytes and, where none is given, the name; a file that cannot be read is a problem, not a crash. */
async function hashed(inputs: Props): Promise<{ inputs: Props; problems: Problem[] }> {
	const content = contentOf(inputs) as Content;
	const name = inputs.name ?? defaultName(content);
	if (name === undefined) {
		const reason = 'name: a text has no name of its own. Add name: "config.json".';
		return { inputs, problems: [{ field: "name", reason }] };
	}
	try {
		return { inputs: { ...inputs, name, contentHash: await contentHash(content) }, problems: [] };
	} catch (error) {
		const reason = `source: ${error instanceof Error ? error.message : "it cannot be read"}`;
		return { inputs, problems: [{ field: "source", reason }] };
	}
}
