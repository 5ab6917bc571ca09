import { constants, type Stats } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, relative, sep } from "node:path";
import { errorCode } from "../error-code";
import { UploadError } from "../errors";

/** A regular file, opened, with the size it had then. */
export interface OpenFile {
	readonly shown: string;
	readonly name: string;
	readonly size: number;
	readonly modifiedMillis: number;
	readonly handle: FileHandle;
}

export interface OpenFileOptions {
	/** Folder the file must lie in once symlinks are resolved. Default: anywhere. */
	readonly root?: string | undefined;
	/** Stored under this name and not under the path's last part. */
	readonly name?: string | undefined;
}

/**
 * Opens a file that may be uploaded. It is looked at before it is opened, because opening a FIFO waits for a
 * writer and opening a device may act on it, and again afterwards, because another file may have taken its place.
 */
export async function openFile(path: string, options: OpenFileOptions = {}): Promise<OpenFile> {
	if (/\p{Cc}/u.test(path)) {
		throw new UploadError(
			path.replace(/\p{Cc}/gu, "?"),
			"its path has a control character",
			"Rename the file.",
		);
	}
	const name = checkFileName(options.name ?? basename(path));
	try {
		const real = await realpath(path);
		if (options.root !== undefined) await refuseOutside(path, real, options.root);
		const before = await stat(real);
		refuseOtherKinds(path, before);
		const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
		const handle = await open(real, flags);
		try {
			const after = await handle.stat();
			refuseOtherKinds(path, after);
			if (after.ino !== before.ino || after.dev !== before.dev) {
				const reason = "another file took its place while it was opened";
				throw new UploadError(path, reason, "Try again when nothing writes there.");
			}
			return { shown: path, name, size: after.size, modifiedMillis: after.mtimeMs, handle };
		} catch (error) {
			await handle.close();
			throw error;
		}
	} catch (error) {
		throw error instanceof UploadError ? error : systemError(path, error);
	}
}

/** The name under which a file is stored, checked: what could break out of a header or a folder is refused. */
export function checkFileName(name: string): string {
	const shown = name.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, "?").slice(0, 200);
	const refuse = (reason: string) =>
		new UploadError(shown, reason, "Rename the file, or give another name for it.");
	if (name === "" || name === "." || name === "..") throw refuse("that is not a file name");
	if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name))
		throw refuse("its name has a control character or a line break");
	// Form readers cut names at either slash, so the file would arrive under another name.
	if (/[/\\]/.test(name)) throw refuse("its name has a slash or backslash");
	return name;
}

async function refuseOutside(path: string, real: string, root: string): Promise<void> {
	const realRoot = await realpath(root).catch(() => undefined);
	if (realRoot === undefined) {
		throw new UploadError(
			path,
			`the allowed folder ${JSON.stringify(root)} does not exist`,
			"Correct the allowed folder.",
		);
	}
	const inside = relative(realRoot, real);
	if (inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside)) return;
	throw new UploadError(
		path,
		`it lies outside the allowed folder ${JSON.stringify(root)} (symlinks resolved)`,
		"Move the file into the folder, or allow a wider one.",
	);
}

function refuseOtherKinds(path: string, stats: Stats): void {
	if (stats.isFile()) return;
	const kind = stats.isDirectory()
		? "a directory"
		: stats.isFIFO()
			? "a FIFO"
			: stats.isSocket()
				? "a socket"
				: "a device";
	throw new UploadError(path, `it is ${kind} and not a regular file`, "Name a regular file.");
}

const REASONS: Readonly<Record<string, readonly [reason: string, next: string]>> = {
	ENOENT: ["there is no such file", "Check the path; a relative one starts at the current folder."],
	ENOTDIR: ["a part of its path is not a folder", "Check the path."],
	EACCES: ["it may not be read", "Give this user read access to the file and its folders."],
	EPERM: ["it may not be read", "Give this user read access to the file and its folders."],
	ELOOP: ["its symlinks lead in a circle", "Name the file itself."],
	ENAMETOOLONG: ["its path is too long", "Use a shorter path."],
	ENXIO: ["it is a device or socket and not a regular file", "Name a regular file."],
	EMFILE: ["this process has too many files open", "Upload fewer files at a time."],
};

/** System errors carry the path and a stack; only their code is kept. */
export function systemError(path: string, error: unknown): UploadError {
	const code = errorCode(error);
	const [reason, next] = REASONS[code] ?? ["the system could not read it", "Check the file and its disk."];
	return new UploadError(path, `${reason} (${code})`, next);
}
