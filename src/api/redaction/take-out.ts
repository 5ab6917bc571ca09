import type { Needle } from "./needles";
import { viewsOf } from "./views";

const REDACTED = "[redacted]";

/** Where a message is longer, its rest is not shown. */
const LONGEST_READ = 256 * 1024;
/** As much of its end could be the beginning of a secret that is too short to be known as one. */
const UNSURE = 1024;

type Span = readonly [start: number, end: number];

/** The text without the needles, however it escapes them. */
export function takeOut(text: string, needles: readonly Needle[]): string {
	const read = text.slice(0, LONGEST_READ);
	const spans: Span[] = text.length > LONGEST_READ ? [[LONGEST_READ - UNSURE, LONGEST_READ]] : [];
	for (const view of viewsOf(read)) {
		for (const { text: secret, ...needle } of needles) {
			for (const [start, end] of occurrences(view.text, { ...needle, text: view.spell(secret) })) {
				spans.push([view.starts[start] ?? 0, view.starts[end] ?? read.length]);
			}
		}
	}
	return replaced(read, spans);
}

/** The text without the needles as they are; for replies, which may be long. */
export function takeOutPlain(text: string, needles: readonly Needle[]): string {
	return replaced(
		text,
		needles.flatMap((needle) => [...occurrences(text, needle)]),
	);
}

function* occurrences(text: string, needle: Needle): Generator<Span, void, undefined> {
	const head = needle.text.slice(0, needle.enough);
	for (let start = text.indexOf(head); start >= 0; ) {
		let length = head.length;
		while (length < needle.text.length && text[start + length] === needle.text[length]) length += 1;
		const end = start + length;
		if (!needle.wholeWord || isWholeWord(text, start, end)) yield [start, end];
		start = text.indexOf(head, end);
	}
}

/** A secret may itself start or end with a sign; that is an end of the word in any case. */
function isWholeWord(text: string, start: number, end: number): boolean {
	const joined = (a: string, b: string) => WORD.test(a) && WORD.test(b);
	return (
		!joined(text.charAt(start - 1), text.charAt(start)) && !joined(text.charAt(end - 1), text.charAt(end))
	);
}

const WORD = /[\p{L}\p{N}_]/u;

/** Spans are found first and replaced together, so that of two secrets that overlap nothing is left. */
function replaced(text: string, spans: readonly Span[]): string {
	if (spans.length === 0) return text;
	let [result, done, shown] = ["", 0, -1];
	for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
		if (start > shown) result += text.slice(done, start) + REDACTED;
		done = Math.max(done, end);
		shown = done;
	}
	return result + text.slice(done);
}
