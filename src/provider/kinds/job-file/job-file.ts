import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import {
	AbortedError,
	ApiError,
	inspectFile,
	UploadError,
	type UploadSource,
} from "../../../client";
import { codeOf, download } from "../../../client/transport";
import { assetSchema, fileName } from "../../../schemas/job";
import { someText, teamName } from "../../../schemas/primitives";
import { messageOf } from "../../../text/wording";
import {
	type CheckResult,
	containsUnknown,
	type Problem,
	type Props,
	pick,
	problem,
	UNKNOWN,
	without,
} from "../../model/props";
import { isHashOf, saltedHash } from "../../model/salted-hash";
import { holdSecrets } from "../../model/secrets";
import { checkFields, diffByTable, type Table, withOld } from "../../model/table";
import type { Call } from "../../run/context";
import type { UnnamedKind } from "../../run/kind";
import { unnamedLifecycle } from "../../run/lifecycle";

// ── The fields ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Inputs of the JobFile resource, one row each. Only content, name and team make a file; where the content comes from does not matter. */
export const JOB_FILE_FIELDS: Table<never> = {
	source: {
		schema: z
			.union(
				[
					someText
						.regex(
							/^[^\n\r]*$/,
							"has several lines, and source is a path. Give the content as text, with a name",
						)
						.regex(
							/^(?!https?:\/\/)/i,
							"is an address, and a string is a path. Use new pulumi.asset.RemoteAsset(…), or fn::remoteAsset in YAML",
						),
					assetSchema,
				],
				{ error: "must be a path or an asset" },
			)
			.optional(),
		change: "none",
	},
	text: {
		schema: z.string("must be a string").optional(),
		change: "none",
		hidden: true,
	},
	name: { schema: fileName.optional(), change: "replace" },
	teamName: { schema: teamName, change: "replace" },
	/** Hash of the content, filled in by `check`: it decides whether the file has changed. */
	contentHash: { schema: z.string().optional(), change: "replace", filledIn: true },
};
const INPUTS = Object.keys(JOB_FILE_FIELDS);
/** The inputs that give the content: one of them. */
const SOURCES = ["source", "text"];

// ── The content, of a file or of a job's query ──────────────────────────────────────────────────────────────────────

/** Where content comes from: the forms in which a program can give it, brought to one. */
export type Content =
	| { readonly kind: "path"; readonly path: string }
	| { readonly kind: "text"; readonly text: string }
	| {
			readonly kind: "remote";
			readonly uri: string;
			readonly hash: string | undefined;
	  };

/** Undefined if the inputs give none, or one that cannot be used. */
export function contentOf(inputs: Props): Content | undefined {
	if (typeof inputs.text === "string") return { kind: "text", text: inputs.text };
	if (typeof inputs.source === "string") return { kind: "path", path: inputs.source };
	const asset = assetSchema.safeParse(inputs.source).data;
	if (asset?.path !== undefined) return { kind: "path", path: asset.path };
	if (asset?.text !== undefined) return { kind: "text", text: asset.text };
	if (asset?.uri === undefined) return undefined;
	if (asset.uri.startsWith("file:"))
		return { kind: "path", path: fileURLToPath(asset.uri) };
	return { kind: "remote", uri: asset.uri, hash: asset.hash };
}

/** The name that the content brings along; a text has none. */
export function contentName(content: Content): string | undefined {
	if (content.kind === "path") return basename(content.path);
	if (content.kind === "remote")
		return basename(new URL(content.uri).pathname) || undefined;
	return undefined;
}

export const sha256 = (data: string | Uint8Array): string =>
	createHash("sha256").update(data).digest("hex");

/** The hash of the content as the state may hold it; `keys` are the inputs that give the content. */
export async function hashForState(
	call: Call,
	olds: Props,
	content: Content,
	keys: readonly string[],
): Promise<string> {
	const plain = await contentHash(content);
	return holdSecrets(call, keys) ? saltedHash(plain, olds.contentHash) : plain;
}

/** SHA-256 of the content as it is now. */
async function contentHash(content: Content): Promise<string> {
	if (content.kind === "text") return sha256(content.text);
	if (content.kind === "path") return (await inspectFile(content.path)).sha256;
	// The engine has read the asset already and tells its hash.
	return content.hash ?? sha256(await fetchRemote(content.uri));
}

/** The state with its hash in the declared form, plain or salted, if both stand for one string: only its secrecy has changed. */
export function inOneForm(
	olds: Props,
	{ contentHash: hash }: Props,
	content: Content | undefined,
): Props {
	if (olds.contentHash === hash || content?.kind !== "text") return olds;
	return isHashOf(olds.contentHash, sha256(content.text))
		? { ...olds, contentHash: hash }
		: olds;
}

const MAX_BYTES = 256 * 1024 * 1024;
/** The longest silence, and the longest download: the largest file takes a while on a slow line. */
const [SILENCE_MILLIS, DOWNLOAD_MILLIS] = [30_000, 600_000];
/** As many as the engine follows, which reads the asset as well. */
const MOST_REDIRECTS = 10;

/** Downloads a remote asset. No token is sent: the address is the user's, not the service's. */
export async function fetchRemote(uri: string): Promise<Uint8Array> {
	const url = new URL(uri);
	// Presigned addresses carry their credentials in the query.
	const where = `${url.protocol}//${url.host}${url.pathname}`;
	const chunks: Uint8Array[] = [];
	let size = 0;
	try {
		const signal = AbortSignal.timeout(DOWNLOAD_MILLIS);
		for await (const chunk of download(url, SILENCE_MILLIS, signal, MOST_REDIRECTS)) {
			size += chunk.byteLength;
			if (size > MAX_BYTES) break;
			chunks.push(chunk);
		}
	} catch (error) {
		// By the code alone: the error's own text may repeat the whole address.
		throw new Error(
			`Could not download ${where} (${codeOf(error)}). Check the address, or download it first and use its path.`,
		);
	}
	if (size <= MAX_BYTES) return Buffer.concat(chunks);
	throw new Error(
		`${where} is larger than ${MAX_BYTES / 1024 / 1024} MiB. Download it first and use its path.`,
	);
}

// ── Check ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function oneSource(inputs: Props): Problem[] {
	const given = SOURCES.filter((key) => inputs[key] !== undefined);
	if (given.length === 1) return [];
	const text =
		given.length === 0
			? 'a JobFile needs a source (a path or an asset) or text. Set source to a path such as "./prepare.py".'
			: "source and text are both given. Keep the one that holds the file's content.";
	return [problem("source", text)];
}

/** The path of a file that exists was hardly meant as the whole content of another one. */
function pathAsText({ text }: Props): Problem[] {
	if (
		typeof text !== "string" ||
		!/^\S{1,500}\.\w{1,5}$/.test(text) ||
		!existsSync(text)
	)
		return [];
	return [
		problem(
			"text",
			"is the path of a file, and text is the content itself. Give the path as source.",
		),
	];
}

/** Adds the hash of the content and, if none is given, the name; a file that cannot be read is a problem, not a crash. */
async function hashed(call: Call, olds: Props, inputs: Props): Promise<CheckResult> {
	if (containsUnknown(pick(inputs, SOURCES))) {
		// The name may come from the source; leaving it out would look like another name.
		return {
			inputs: { ...inputs, name: inputs.name ?? UNKNOWN, contentHash: UNKNOWN },
			problems: [],
		};
	}
	const content = contentOf(inputs);
	if (content === undefined) {
		const text =
			'the asset has neither a path, text nor an address. Set source to a path such as "./prepare.py", or set text.';
		return { inputs, problems: [problem("source", text)] };
	}
	// Part of a secret path would be in plain text under another key.
	const name =
		inputs.name ?? (holdSecrets(call, SOURCES) ? undefined : contentName(content));
	if (name === undefined) {
		const why =
			content.kind === "text"
				? "text has no file name"
				: "source is a secret, and so is its file name";
		return {
			inputs,
			problems: [problem("name", `${why}. Set name, for example to "config.json".`)],
		};
	}
	try {
		const contentHash = await hashForState(call, olds, content, SOURCES);
		return { inputs: { ...inputs, name, contentHash }, problems: [] };
	} catch (error) {
		return { inputs, problems: [unreadable("source", error)] };
	}
}

/** Why content cannot be read; nothing was sent yet. */
export function unreadable(field: string, error: unknown): Problem {
	if (!(error instanceof UploadError)) return problem(field, messageOf(error));
	const { file, reason } = error;
	const from = isAbsolute(file) ? "" : ` The path is relative to ${process.cwd()}.`;
	return problem(
		field,
		`cannot read ${JSON.stringify(file)}: ${reason}.${from} Check the file and its path.`,
	);
}

/**
 * The outputs of a replacement, as far as a preview can know them. If the new object is created first, the engine's preview
 * compares the old outputs with the inputs of a second check, and shows an output that is not among them as removed.
 */
function predictedOuts(call: Call, olds: Props, inputs: Props): Props {
	const isSecondCheck = call.declared.has(call.urn) && Object.keys(olds).length === 0;
	if (!call.preview || !isSecondCheck) return {};
	const filename = shownName(call, inputs.name);
	return {
		fileId: UNKNOWN,
		filename,
		size: UNKNOWN,
		state: UNKNOWN,
		serviceUrl: call.serviceUrl,
	};
}

/** The output is left out if the name is a secret, because nothing would keep it one there. */
const shownName = (call: Call, name: unknown): unknown =>
	holdSecrets(call, ["name"]) ? undefined : name;

// ── Uploading ───────────────────────────────────────────────────────────────────────────────────────────────────────

async function uploadSource(content: Content, name: string): Promise<UploadSource> {
	if (content.kind === "path") return { path: content.path, name };
	if (content.kind === "text") return { name, content: content.text };
	return { name, content: await fetchRemote(content.uri) };
}

/** Whether the service may have the file although its reply was lost; an interrupted upload tells its own story. */
const maybeStored = (error: unknown): error is ApiError =>
	error instanceof ApiError &&
	error.received !== false &&
	!(error instanceof AbortedError);

/** The client's advice is to look whether the request took effect, which the API offers no way to do for a file. */
function unclear({ summary, transient }: ApiError, name: string): Error {
	const next = transient
		? 'Run "pulumi up" again: it uploads the file again, and jobs use only that copy.'
		: 'Update pulumi-datachain first: if the service is newer than this package, each "pulumi up" uploads the file again and fails.';
	return new Error(
		`${summary} File "${name}" may exist on the service, but no request can find it. ${next}`,
	);
}

async function upload(call: Call, inputs: Props): Promise<{ id: string; outs: Props }> {
	const content = contentOf(inputs);
	if (content === undefined)
		throw new Error("JobFile: neither source nor text is given.");
	const name = String(inputs.name);
	const team = String(inputs.teamName);
	// How long a file takes depends on its size, and the client bounds it by that, not by the operation's time.
	const options = { team_name: team, untimed: true, signal: call.interrupt };
	const source = await uploadSource(content, name);
	const sent = await call.client.jobs
		.uploadFile(source, options)
		.catch((error: unknown) => {
			throw maybeStored(error) ? unclear(error, name) : error;
		});
	const { file } = sent;
	if (file.error || file.state?.toLowerCase() === "failed") {
		throw new Error(
			`The service could not store file "${name}" in team "${team}" (state ${JSON.stringify(file.state ?? "unknown")}). ` +
				'Check the file and run "pulumi up" again.',
		);
	}
	if (!isHashOf(inputs.contentHash, sent.sha256)) {
		throw new Error(
			`File "${name}" changed while it was being deployed. Run "pulumi up" again to upload the new content.`,
		);
	}
	const outs = {
		fileId: String(file.id),
		filename: shownName(call, file.filename ?? name),
		size: sent.size,
		state: file.state,
		serviceUrl: call.serviceUrl,
	};
	return { id: String(file.id), outs: { ...inputs, ...outs } };
}

// ── The kind ────────────────────────────────────────────────────────────────────────────────────────────────────────

const kind: UnnamedKind = {
	kind: "JobFile",
	fields: JOB_FILE_FIELDS,
	identity: "contentHash",

	async check(call, olds, inputs) {
		const wrong = [
			...checkFields(JOB_FILE_FIELDS, olds, inputs, call.secrets),
			...oneSource(inputs),
			...pathAsText(inputs),
		];
		if (wrong.length > 0) return { inputs, problems: wrong };
		const { inputs: read, problems } = await hashed(call, olds, inputs);
		// Only the engine gives the hash, if changes of the content are ignored.
		const ignored = inputs.contentHash === undefined ? [] : ["contentHash"];
		const complete = withOld(JOB_FILE_FIELDS, olds, read, ignored);
		return {
			inputs: { ...complete, ...predictedOuts(call, olds, complete) },
			problems,
		};
	},
	diff(_call, olds, news) {
		const sameForm = inOneForm(olds, news, contentOf(news));
		const result = diffByTable(JOB_FILE_FIELDS, sameForm, news);
		// The same content under another form of hash: only the state changes.
		return {
			...result,
			changes: result.changes || olds.contentHash !== sameForm.contentHash,
		};
	},
	create: upload,
	/** Nothing in the API reads a file back: the state is all there is. */
	async read(_call, id, outs) {
		if (outs.contentHash === undefined) {
			throw new Error(
				`File ${id} cannot be imported: the API cannot return an uploaded file. Declare a JobFile with its source, which uploads it again.`,
			);
		}
		return { state: { id, outs, inputs: pick(outs, INPUTS) } };
	},
	async update(call, _id, olds, inputs) {
		const filename = shownName(call, olds.filename ?? inputs.name);
		// An input that the program removed leaves the state too: it may hold what is a secret now.
		return { ...without(olds, INPUTS), filename, ...inputs };
	},
	async remove(call) {
		call.notice(
			"The API cannot delete an uploaded file: Pulumi removes it from the state, and the file stays on the service.",
		);
	},

	words: {
		label: ({ filename, teamName }, id) =>
			`File "${String(filename)}" (id ${id}) in team "${String(teamName)}"`,
	},
};

export const jobFile = unnamedLifecycle(kind);
