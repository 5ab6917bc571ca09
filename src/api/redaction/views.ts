/** A text as a reader sees it who undoes an escape, and where each of its characters stands in the original. */
export interface View {
	readonly text: string;
	/** One more than there are characters: the last is the original's end. */
	readonly starts: Uint32Array;
	/** The form in which a secret is looked for here. */
	readonly spell: (secret: string) => string;
}

/** Escaped inside the service, by what it calls, and in what it quotes. */
const DEEPEST = 4;

/** The text as it is, without its percent-encoding, and each without one, two, and more levels of JSON escapes. */
export function viewsOf(text: string): View[] {
	const plain: View = {
		text,
		starts: Uint32Array.from({ length: text.length + 1 }, (_, index) => index),
		spell: (secret) => secret,
	};
	const decoded = unescaped(plain, PERCENT);
	const form = decoded && { ...decoded, text: spaced(decoded.text), spell: spaced };
	return [plain, ...(form ? [form] : [])].flatMap((view) => [view, ...withoutJson(view)]);
}

/** In a form a plus is a space, elsewhere it is a plus; so the two count as one. */
const spaced = (text: string): string => text.replaceAll("+", " ");

function withoutJson(view: View): View[] {
	const views: View[] = [];
	for (let next = unescaped(view, JSON_ESCAPE); next; next = unescaped(next, JSON_ESCAPE)) {
		if (views.push(next) === DEEPEST) break;
	}
	return views;
}

interface Escape {
	readonly pattern: RegExp;
	/** What a match stands for, and how many of its characters each piece takes. */
	readonly decode: (match: string) => readonly (readonly [piece: string, length: number])[];
}

const NAMED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

const JSON_ESCAPE: Escape = {
	pattern: /\\(?:u[0-9a-fA-F]{4}|["'\\/bfnrt])/g,
	decode: (match) => {
		const code = match.slice(1);
		const piece =
			code.length === 5 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (NAMED[code] ?? code);
		return [[piece, match.length]];
	},
};

const PERCENT: Escape = {
	pattern: /(?:%[0-9a-fA-F]{2})+/g,
	decode: (match) => {
		const bytes = Buffer.from(match.replaceAll("%", ""), "hex");
		const text = bytes.toString("utf8");
		// Bytes that are no UTF-8 have no characters to find a secret in, but must not shift the others.
		const readable = Buffer.from(text).equals(bytes) ? text : bytes.toString("latin1");
		return [...readable].map((piece) => [piece, readable === text ? 3 * Buffer.byteLength(piece) : 3]);
	},
};

function unescaped(view: View, { pattern, decode }: Escape): View | undefined {
	const pieces: string[] = [];
	const starts = new Uint32Array(view.starts.length);
	let [length, done] = [0, 0];
	const add = (piece: string, from: number, step: number) => {
		for (let index = 0; index < piece.length; index += 1) {
			starts[length + index] = view.starts[from + index * step] ?? 0;
		}
		pieces.push(piece);
		length += piece.length;
	};
	for (const match of view.text.matchAll(pattern)) {
		add(view.text.slice(done, match.index), done, 1);
		done = match.index;
		for (const [piece, taken] of decode(match[0])) {
			add(piece, done, 0);
			done += taken;
		}
	}
	if (pieces.length === 0) return undefined;
	add(view.text.slice(done), done, 1);
	starts[length] = view.starts[view.text.length] ?? 0;
	return { text: pieces.join(""), starts: starts.subarray(0, length + 1), spell: view.spell };
}
