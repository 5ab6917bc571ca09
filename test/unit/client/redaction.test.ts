import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	cleanServerMessage,
	needlesFor,
	needlesForName,
	needlesForText,
	objectLabel,
	PiecesRedactor,
	printable,
	redact,
	secretsOf,
	withoutToken,
	withRedacted,
} from "../../../src/client/redaction";

const SECRET = "hunter2hunter2";
const clean = (text: string, ...secrets: string[]): string =>
	redact(
		text,
		(secrets.length > 0 ? secrets : [SECRET]).flatMap((secret) => needlesFor(secret)),
	);

describe("what is redacted", () => {
	test.each([
		["each place", `${SECRET} and ${SECRET}`, "[redacted] and [redacted]"],
		["what follows at once, as one", `a ${SECRET}${SECRET} b`, "a [redacted] b"],
		["a beginning of eight characters", "hunter2h, cut off", "[redacted], cut off"],
		["as much of it as there is", "hunter2hunter, cut off", "[redacted], cut off"],
		["no beginning that is shorter", "hunter2 only", "hunter2 only"],
		["what stands inside a word", `x${SECRET}y`, "x[redacted]y"],
	])("%s", (_, text, cleaned) => {
		expect(clean(text)).toBe(cleaned);
	});

	test.each([
		[
			"prod",
			"in prod, not production or byprod",
			"in [redacted], not production or byprod",
		],
		["prod", "_prod prod_ prod1 éprod prodé", "_prod prod_ prod1 éprod prodé"],
		["prod", "-prod- 'prod'", "-[redacted]- '[redacted]'"],
		["?od!", "pr?od!uct", "pr[redacted]uct"],
		["abc", "abc is too short to be a secret", "abc is too short to be a secret"],
		["eightchr", "eightchrs", "[redacted]s"],
	])("a short secret only as a whole word: %s in %j", (secret, text, cleaned) => {
		expect(clean(text, secret)).toBe(cleaned);
	});

	test("overlapping secrets as one, in whatever order they are given", () => {
		const text = "saw abcdXYZ12345678 and 9";
		expect(clean(text, "abcdXYZ12345", "12345678")).toBe("saw [redacted] and 9");
		expect(clean(text, "abcdXYZ12345678", "XYZ12345")).toBe("saw [redacted] and 9");
	});

	test("the end of a text that is too long to read, because it may be the beginning of a secret", () => {
		const long = "x".repeat(256 * 1024);
		expect(clean(long)).toBe(long);
		expect(clean(`${long}${SECRET} y`)).toBe(`${"x".repeat(255 * 1024)}[redacted]`);
		expect(redact(`${long}y`, [])).toBe(`${long}y`);
	});
});

describe("an escaped secret is found, and only the secret is redacted", () => {
	test.each([
		["each of JSON's own", 'ab\b\f\n\r\tcd\\"/', 'ab\\b\\f\\n\\r\\tcd\\\\\\"\\/'],
		["an apostrophe", "it's a secret", "it\\'s a secret"],
		["ASCII only", "pä\u20acsswörd", "p\\u00e4\\u20ACssw\\u00f6rd"],
		["percent", "pä€😀ss/wörd", "%70%C3%A4%E2%82%AC%F0%9F%98%80ss%2fw%c3%b6rd"],
		["percent of bytes that are no text", "abc\u00ffdefgh", "abc%ffdefgh"],
		["a form", "a b+c d+e", "a+b%2Bc+d%2be"],
		["JSON within percent", 'say "secret"', "say%20%5C%22secret%5C%22"],
		["a web page", `a&"b<'c>d`, "a&amp;&quot;b&lt;&#x27;c&gt;d"],
		["a web page in numbers", "a'b\"😀cdef", "a&#39;b&#34;&#128512;cdef"],
		["a web page within JSON", 'a\\b"cdefg', "a\\\\b&quot;cdefg"],
		["JSON within JSON", 'ab"cdefgh', 'ab\\\\\\"cdefgh'],
		["Python", "ab\u001bcd\u00a0ef", "ab\\x1bcd\\xa0ef"],
	])("%s", (_, secret, escaped) => {
		expect(clean(`1 ${escaped} 2`, secret)).toBe("1 [redacted] 2");
		expect(clean(`1 ${escaped}`, secret)).toBe("1 [redacted]");
		expect(clean(`%41\\n ${escaped}%41\\n`, secret)).toBe("%41\\n [redacted]%41\\n");
	});

	test("text that only looks like an escape is left alone", () => {
		for (const text of [
			"100 % of it",
			"%zz \\x \\u12",
			"a+b",
			"%ff%fe",
			"a & b; &nope; &#x;",
		])
			expect(clean(text)).toBe(text);
	});

	test("bytes that are no text do not move the redaction to the wrong place", () => {
		expect(clean("%ff%41 hunter2hunter2 %41")).toBe("%ff%41 [redacted] %41");
		expect(clean("%ff%68unter2hunter2 %41")).toBe("%ff[redacted] %41");
	});
});

describe("a secret in base64", () => {
	const base64 = (text: string) => Buffer.from(text).toString("base64");

	test("alone, with or without its padding, also as URLs have it", () => {
		const secret = "????>>>>????>>>>";
		const encoded = base64(secret);
		const inUrls = encoded.replaceAll("+", "-").replaceAll("/", "_");
		for (const form of [encoded, encoded.replace(/=+$/, ""), inUrls])
			expect(clean(`<${form}>`, secret)).toMatch(/^<\[redacted\]=*>$/);
	});

	test.each(["", "u", "us", "use", "user:"])(
		"after %j is redacted to its last character, and nothing around it",
		(before) => {
			const secret = "correct-horse7";
			const text = base64(`${before}${secret}tail of it`);
			const [first, last] = [before.length, before.length + secret.length].map(
				(bytes) => (8 * bytes) / 6,
			);
			expect(clean(text, secret)).toBe(
				`${text.slice(0, Math.ceil(first ?? 0))}[redacted]${text.slice(Math.floor(last ?? 0))}`,
			);
		},
	);

	test("is found for a short secret only if it stands alone", () => {
		expect(clean(base64("prod"), "prod")).toMatch(/^\[redacted\]=*$/);
		expect(clean(base64("xprod"), "prod")).toBe(base64("xprod"));
	});
});

describe("a name", () => {
	const name = "a-name-as-long-as-a-service-takes-".repeat(4);
	const clean = (text: string) => redact(text, needlesForName(name));

	test("is redacted as a whole, because names begin alike", () => {
		expect(clean(`"${name}" or "a-name-as-long"`)).toBe(
			'"[redacted]" or "a-name-as-long"',
		);
	});

	test.each([
		["abc", 'abc "abc"', "abc [redacted]"],
		["prod", 'prod "prod" production', '[redacted] "[redacted]" production'],
	])(
		"that is short is redacted in its quotes or as a whole word: %s",
		(short, text, cleaned) => {
			expect(redact(text, needlesForName(short))).toBe(cleaned);
		},
	);

	test("that a message cuts is redacted as far as it is there", () => {
		expect(clean(objectLabel({ name }))).toBe(' (name "[redacted]…")');
		expect(clean(`"${name.slice(0, 60)}…"`)).toBe('"[redacted]…"');
	});
});

test("a longer text is known by its first 64 characters, also in base64, and not by its first words", () => {
	const text = "print('my own code')\n".repeat(10);
	const cleaned = (given: string) => redact(given, needlesForText(text));
	expect(cleaned(`<${text.slice(0, 64)}>`)).toBe("<[redacted]>");
	expect(cleaned(text.slice(0, 63))).toBe(text.slice(0, 63));
	expect(cleaned(`<${Buffer.from(text).toString("base64")}>`)).toMatch(
		/^<\[redacted\]=*>$/,
	);
});

describe("a reply without the token", () => {
	test.each([
		["as it is", 't"k/+12'],
		["in JSON", 't\\"k/+12'],
		["in a URL", "t%22k%2F%2B12"],
		["in base64", "dCJrLysxMg"],
	])("%s", (_, form) => {
		expect(withoutToken(`<${form}>`, secretsOf('t"k/+12', {}))).toBe("<[redacted]>");
	});

	test("keeps values that only begin like the token: they are data", () => {
		const secrets = secretsOf("isat_0123456789abcdef", {});
		const theirs = [
			"isat_0123456789xyz",
			Buffer.from("isat_0abcdef").toString("base64"),
		].join(" ");
		expect(withoutToken(theirs, secrets)).toBe(theirs);
	});
});

const cleaned = (request: Readonly<Record<string, unknown>>, text: string): string =>
	redact(text, secretsOf("tok-1234", request).all());

test.each<[string, Readonly<Record<string, unknown>>, string, string]>([
	["the token", {}, "tok-1234", "[redacted]"],
	[
		"a variable",
		{ environment: "A=1\nKEY=hunter2=hunter2\r\n" },
		"hunter2=hunter2",
		"[redacted]",
	],
	[
		"a variable with spaces around it",
		{ environment: "KEY=  hunter2hunter2  " },
		SECRET,
		"[redacted]",
	],
	[
		"a password in a variable",
		{ environment: "U=https://u:pass-9@h" },
		"is pass-9",
		"is [redacted]",
	],
	[
		"a name is none",
		{ environment: "LONG_VARIABLE=hunter2hunter2" },
		"LONG_VARIABLE",
		"LONG_VARIABLE",
	],
	[
		"a text in JSON",
		{ environment: 'C={"a":{"b":["hunter2\\u0068unter2"]},"n":12345678}' },
		`${SECRET} 12345678`,
		"[redacted] 12345678",
	],
	[
		"what only begins like JSON",
		{ environment: "C={hunter2hunter2" },
		"{hunter2hunter2",
		"[redacted]",
	],
	[
		"a steady part of a value",
		{ environment: "KEY=first-part\u00e9second-part" },
		"first-part second-part",
		"[redacted] [redacted]",
	],
	["a query", { query: "print(canary)" }, "print(canary)", "[redacted]"],
	["requirements", { requirements: "my-own-package" }, "my-own-package", "[redacted]"],
	[
		"another field is none",
		{ schedule_name: "nightly-run" },
		"nightly-run",
		"nightly-run",
	],
	[
		"what is no text is none",
		{ query: 12345678, environment: 5 },
		"12345678",
		"12345678",
	],
	[
		"a password in a URL",
		{ repository: "https://robot:p%40ss-1234@example.com/r" },
		"p%40ss-1234 or p@ss-1234 on example.com",
		"[redacted] or [redacted] on example.com",
	],
])("the secrets of a request: %s", (_, request, text, expected) => {
	expect(cleaned(request, text)).toBe(expected);
	expect(redact(SECRET, secretsOf("tok-1234", request, () => [SECRET]).all())).toBe(
		"[redacted]",
	);
});

test.each<[object, string]>([
	[{ name: "", pipeline_id: null }, ""],
	[
		{
			job_id: "j",
			query_name: "q",
			pipeline_id: "i",
			name: "p",
			pipeline_name: "n",
			schedule_id: 0,
		},
		' (schedule_id 0, pipeline_name "n", name "p", pipeline_id "i", query_name "q", job_id "j")',
	],
	[{ name: "x".repeat(101) }, ` (name "${"x".repeat(100)}…")`],
])("the object that a request is about: %j", (request, shown) => {
	expect(objectLabel({ ...request })).toBe(shown);
});

describe("a server's message", () => {
	test.each<[unknown, string | undefined]>([
		[{ message: "no", detail: "x" }, "no"],
		[{ message: 5, detail: "no" }, "no"],
		[
			{ detail: [{ msg: "too long" }, { loc: ["name"], msg: "too odd" }] },
			"too long; too odd",
		],
		[{ detail: [{ loc: ["name"] }, 7, null] }, undefined],
		[{ message: " " }, undefined],
		["text", undefined],
		[null, undefined],
	])("in %j is %j", (reply, text) => {
		expect(cleanServerMessage(reply, secretsOf("tok-123", {}))).toBe(text);
	});

	test("a secret that the service cuts off or escapes twice leaves nothing behind", () => {
		const request = {
			environment: 'KEY=abcdefgh12345678\nQUOTED=say "qrstuvwx87654321"',
			repository: "https://robot:pass1234word@example.com/r.git",
			requirements: "numpy==2.0.0",
		};
		const secrets = secretsOf("tok-ABCDEFGHIJKL", request);
		const whole = `tok-ABCDEFGHIJKL ${JSON.stringify(JSON.stringify(request))} numpy==2.1`;
		const cleaned = (length: number) =>
			cleanServerMessage({ message: whole.slice(0, length) }, secrets) ?? "";
		for (let length = 1; length <= whole.length; length += 1)
			expect(cleaned(length)).not.toMatch(
				/tok-ABCD|abcdefgh|12345678|qrstuvwx|pass1234/,
			);
		expect(cleaned(whole.length)).toContain("numpy==2.1");
	});

	test("loses the credentials in a URL, its own and others, whole", () => {
		const request = { repository: "https://user:p@ssword1@host.example/r.git" };
		const cleaned = (message: string) =>
			cleanServerMessage({ message }, secretsOf("tok-123", request));
		expect(cleaned("wrong password p@ssword1")).toBe("wrong password [redacted]");
		expect(cleaned("seen https://someone:a@b@host.example/x")).toBe(
			"seen https://***@host.example/x",
		);
	});

	const encodings: readonly ((text: string) => string)[] = [
		encodeURIComponent,
		(text) => encodeURIComponent(text).replace(/%../g, (at) => at.toLowerCase()),
		(text) => new URLSearchParams({ KEY: text }).toString(),
		(text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
		(text) => Buffer.from(text).toString("base64url"),
		(text) => encodeURIComponent(Buffer.from(text).toString("base64")),
		(text) => JSON.stringify(JSON.stringify(JSON.stringify({ KEY: text }))),
		(text) => encodeURIComponent(JSON.stringify({ KEY: text })),
		(text) =>
			text.replace(/[&<>"']/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
	];

	test("any secret in any escape leaves nothing behind", () => {
		const secret = fc
			.string({ unit: "grapheme", minLength: 8 })
			.filter((text) => text.trim().length >= 8);
		fc.assert(
			fc.property(secret, fc.constantFrom(...encodings), (text, encode) => {
				const value = text.trim();
				const secrets = secretsOf("tok-123", { environment: `KEY=${value}` });
				const message =
					cleanServerMessage({ message: `saw <${encode(value)}>` }, secrets) ?? "";
				expect(message).toContain("[redacted]");
				expect(message.length).toBeLessThan(60);
			}),
		);
	});

	test("a token is redacted however short it is", () => {
		const message = "tok is not a token";
		expect(cleanServerMessage({ message }, secretsOf("tok", {}))).toBe(
			"[redacted] is not a token",
		);
	});

	test("a long message with many secrets takes no longer than its length asks for", () => {
		const lines = Array.from(
			{ length: 60 },
			(_, index) => `KEY${index}=${"a".repeat(index + 8)}`,
		);
		const secrets = secretsOf("tok-123", {
			environment: lines.join("\n"),
			query: "a".repeat(100_000),
		});
		// By the time of the processor: the machine may have other work.
		const started = process.cpuUsage();
		for (const piece of ["a", "\\", "%41", "\\u0061", "://a:@", "aaaaaaab"]) {
			const message =
				cleanServerMessage({ message: piece.repeat(300_000) }, secrets) ?? "";
			expect(message.length).toBeLessThan(600);
		}
		expect(process.cpuUsage(started).user / 1000).toBeLessThan(9_000);
	}, 120_000);

	test("is cut after 500 characters, and a secret redacted before that", () => {
		const secrets = secretsOf("isat_0123456789abcdef", {});
		const cleaned = (message: string) => cleanServerMessage({ message }, secrets);
		expect(cleaned(`${"x".repeat(490)}isat_0123456789abcdef`)).toBe(
			`${"x".repeat(490)}[redacted]`,
		);
		expect(cleaned(`a\r\n${"x".repeat(600)}`)).toBe(`a ${"x".repeat(498)}…`);
	});
});

test("an error is redacted in its message and in its trace; what is none stays as it is", () => {
	const { message, stack } = withRedacted(new Error(`no ${SECRET}`), (text) =>
		clean(text),
	) as Error;
	expect(message).toBe("no [redacted]");
	expect(stack).toMatch(/^Error: no \[redacted\]\n/);
	expect(withRedacted(SECRET, (text) => clean(text))).toBe(SECRET);
});

test("a text is cut at its length, not within a character, and in one line", () => {
	expect(printable("ab😀cd", 3)).toBe("ab…");
	expect(printable("abc", 3)).toBe("abc");
	expect(printable("\n abc\u2028def \u0007", 20)).toBe("abc def");
	expect(printable("a\u202egpj.exe\u2069", 20)).toBe("a gpj.exe");
});

describe("a log that comes in pieces", () => {
	const shown = (...pieces: string[]): string[] => {
		const redacted = new PiecesRedactor({
			KEY: SECRET,
			PIN: "4711",
			MODE: null,
			ON: "%%",
		});
		return [...pieces.map((piece) => redacted.take(piece)), redacted.end()];
	};

	test("loses a value wherever it is cut", () => {
		const text = `a ${SECRET} b 4711 c\n`;
		for (let at = 0; at <= text.length; at += 1) {
			expect(shown(text.slice(0, at), text.slice(at)).join("")).toBe(
				"a [redacted] b [redacted] c\n",
			);
		}
		expect(shown(...text).join("")).toBe("a [redacted] b [redacted] c\n");
	});

	test("is shown at once, but for an end that may be the beginning of a value", () => {
		expect(shown("10 %", " 20 %\n", "a hunt", "ing trip 1", "1 4", "7")).toEqual([
			"10 %",
			" 20 %\n",
			"a ",
			"hunting trip 1",
			"1 ",
			"",
			"47",
		]);
	});

	test("is shown whole, also a line that is longer than a message may be", () => {
		const long = "x".repeat(256 * 1024);
		expect(shown(`${long}${SECRET}y`).join("").slice(long.length)).toBe("[redacted]y");
	});

	test("shows what stands before such an end, also if that is a whole value", () => {
		expect(shown(`a ${SECRET}47`, "1", "1")).toEqual([
			"a [redacted]",
			"",
			"[redacted]",
			"",
		]);
	});
});
