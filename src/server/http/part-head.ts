import { invalid } from "../refusal";

const MOST_BYTES = 16 * 1024;
const PARAMETER = /; *([a-z]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s";\\]+))/giy;

/**
 * Looks at the first part's header before the parser does, which mends what it can: of a name with a line break in it
 * the parser would take the first half, of two names the first, and it would cut a long header short. The check is
 * called with each piece of the body, in order; it refuses as soon as the header is whole and wrong.
 */
export function makeHeadCheck(): (piece: Buffer) => void {
	let bytes: Buffer | undefined = Buffer.alloc(0);
	return (piece) => {
		if (bytes === undefined) return;
		bytes = Buffer.concat([bytes, piece.subarray(0, MOST_BYTES + 1)]);
		const end = bytes.indexOf("\r\n\r\n");
		if (end < 0 && bytes.length <= MOST_BYTES) return;
		if (end < 0 || end > MOST_BYTES) throw invalid(`The part's header is longer than ${MOST_BYTES} bytes.`);
		const head = bytes.subarray(0, end);
		bytes = undefined;
		checkHead(head);
	};
}

function checkHead(bytes: Buffer): void {
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		throw invalid("The part's header is not UTF-8.");
	}
	const dispositions = text.split("\r\n").filter((line) => /^content-disposition\s*:/i.test(line));
	const [line] = dispositions;
	// Without one, or without a name in it, the parser finds no file, and says so.
	if (line === undefined) return;
	const value = line.slice(line.indexOf(":") + 1).trim();
	if (dispositions.length > 1 || !isWellFormed(value)) {
		throw invalid("The part's Content-Disposition is not well-formed.");
	}
}

/** `form-data` and parameters to the very end, each at most once, and one way only to give the file name. */
function isWellFormed(value: string): boolean {
	if (!/^form-data/i.test(value)) return false;
	const parameters = [...value.slice("form-data".length).matchAll(PARAMETER)];
	const names = parameters.map(([, name = ""]) => name.toLowerCase().replace("*", ""));
	const length = parameters.reduce((sum, [text]) => sum + text.length, "form-data".length);
	return length === value.length && new Set(names).size === names.length;
}
