import { leftOut, type UnreadableInfo } from "../api";
import { printable } from "./failure";
import { makeProgress } from "./terminal";

const said = new Set<string>();

/** Says once of an element of a list that it was left out: without a word, it would look as if the service had none. */
export function tellUnreadable(info: UnreadableInfo): void {
	const text = `warning: ${leftOut(info)}`;
	if (said.has(text)) return;
	said.add(text);
	makeProgress().clear();
	process.stderr.write(`${printable(text)}\n`);
}
