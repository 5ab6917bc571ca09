import { UploadError } from "../errors";

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
