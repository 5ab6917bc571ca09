/** A text to be taken out. */
export interface Needle {
	readonly text: string;
	/** How much of its beginning is enough: a service may cut off what it quotes. */
	readonly enough: number;
	/** Taken out only as a whole word: inside another one it is as likely to be an ordinary part of that. */
	readonly wholeWord: boolean;
}

/** Shorter ones are found in ordinary words. */
const SHORTEST_ANYWHERE = 8;
/** Shorter ones are ordinary words. */
const SHORTEST = 4;
/** As much of a longer text is its own; its first word is not. */
const ENOUGH_OF_TEXT = 64;

/** A secret, and what it becomes in base64. */
export const needlesFor = (secret: string): Needle[] => formsOf(secret, SHORTEST_ANYWHERE);

/** A longer text, of which single words may be repeated. */
export const needlesForText = (text: string): Needle[] => formsOf(text, ENOUGH_OF_TEXT);

function formsOf(text: string, enough: number): Needle[] {
	if (text.length < SHORTEST) return [];
	return [text, ...base64Forms(text)].map((form) => needle(form, enough));
}

/** A name, as a whole because names begin alike; a short one in its quotes, because without them it could be any word. */
export function needlesForName(name: string): Needle[] {
	const text = name.length < SHORTEST ? JSON.stringify(name) : name;
	return [{ text, enough: text.length, wholeWord: true }];
}

/** The token, which is a secret however short, in the forms in which it can stand in a reply. */
export function needlesForToken(token: string): Needle[] {
	const escaped = [token, JSON.stringify(token).slice(1, -1), encodeURIComponent(token)];
	const whole = escaped.map((text) => needle(text, SHORTEST_ANYWHERE));
	return [...whole, ...needlesFor(token)];
}

const needle = (text: string, enough: number): Needle => ({
	text,
	enough: Math.min(enough, text.length),
	wholeWord: text.length < SHORTEST_ANYWHERE,
});

/**
 * Alone, which is also how it begins something longer, and behind one or two bytes of its group of three. What stands
 * after it may change the last character; a beginning is enough to be found.
 */
function base64Forms(secret: string): string[] {
	const bytes = Buffer.from(secret);
	const alone = bytes.toString("base64");
	const behind = (before: number) =>
		Buffer.concat([Buffer.alloc(before), bytes])
			.toString("base64")
			.slice(before + 1);
	const inside = secret.length < SHORTEST_ANYWHERE ? [] : [behind(1), behind(2)];
	const forms = [alone, ...[alone, ...inside].map((form) => form.replace(/=+$/, ""))];
	const urlSafe = forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
	return [...new Set([...forms, ...urlSafe])];
}
