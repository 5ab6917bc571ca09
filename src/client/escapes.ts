/** A text as a reader sees it who undoes an escape, and where each of its characters stands in the original. */
interface View {
	readonly text: string;
	readonly starts: Uint32Array;
	/** The form in which a secret is looked for here. */
	readonly spellSecret: (secret: string) => string;
}

/** Escaped inside the service, by what it calls, and in what it quotes. */
const DEEPEST = 4;

/** The text as it is, without its percent-encoding, as a web page shows it, and each without some levels of JSON escapes. */
export function viewsOf(text: string): View[] {
	const plain: View = {
		text,
		starts: Uint32Array.from({ length: text.length }, (_, index) => index),
		spellSecret: (secret) => secret,
	};
	const decoded = unescaped(plain, PERCENT);
	const form = decoded && {
		...decoded,
		text: plusAsSpace(decoded.text),
		spellSecret: plusAsSpace,
	};
	const page = unescaped(plain, ENTITY);
	return [plain, form, page].flatMap((view) =>
		view ? [view, ...withoutJson(view)] : [],
	);
}

/** In a form a plus is a space, elsewhere it is a plus; so the two count as one. */
const plusAsSpace = (text: string): string => text.replaceAll("+", " ");

function withoutJson(view: View): View[] {
	const views: View[] = [];
	for (
		let next = unescaped(view, JSON_ESCAPE);
		next;
		next = unescaped(next, JSON_ESCAPE)
	) {
		if (views.push(next) === DEEPEST) break;
	}
	return views;
}

interface Escape {
	readonly pattern: RegExp;
	/** What a match stands for. */
	readonly decode: (match: string) => string;
}

const NAMED: Readonly<Record<string, string>> = {
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
};

const JSON_ESCAPE: Escape = {
	// Python writes \x1b for JSON's \u001b.
	pattern: /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["'\\/bfnrt])/g,
	decode: (match) => {
		const code = match.slice(1);
		return code.length > 1
			? String.fromCharCode(Number.parseInt(code.slice(1), 16))
			: (NAMED[code] ?? code);
	},
};

const ENTITIES: Readonly<Record<string, string>> = {
	amp: "&",
	lt: "<",
	gt: ">",
	quot: '"',
	apos: "'",
};

/** As web pages have it, which frameworks also write into messages that no page shows. */
const ENTITY: Escape = {
	pattern: /&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|amp|lt|gt|quot|apos);/g,
	decode: (match) => {
		const name = match.slice(1, -1);
		return ENTITIES[name] ?? String.fromCodePoint(Number(name.replace("#", "0")));
	},
};

/** One character of UTF-8, or a byte that begins none. */
const PERCENT: Escape = {
	pattern:
		/%(?:[cd]\p{AHex}%[89ab]\p{AHex}|e\p{AHex}(?:%[89ab]\p{AHex}){2}|f\p{AHex}(?:%[89ab]\p{AHex}){3}|\p{AHex}{2})/giu,
	decode: (match) => {
		const bytes = Buffer.from(match.replaceAll("%", ""), "hex");
		return bytes.toString(bytes.length > 1 ? "utf8" : "latin1");
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
		add(decode(match[0]), match.index, 0);
		done = match.index + match[0].length;
	}
	if (pieces.length === 0) return undefined;
	add(view.text.slice(done), done, 1);
	return {
		text: pieces.join(""),
		starts: starts.subarray(0, length),
		spellSecret: view.spellSecret,
	};
}
