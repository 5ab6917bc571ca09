import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanServerMessage, printable, secretsOf, whichObject, withoutToken } from "../../../src/api/redact";

describe("a server's message", () => {
	test("loses the token and every private part of the request, plain or as JSON", () => {
		const request = {
			environment: 'A=1\nKEY=s3cret\nQUOTED=with "quotes"',
			query: 'print("my code")\n',
			repository: "https://user:pass@example.com/r.git",
			requirements: "--index-url https://u:p@pypi.example\nnumpy",
		};
		const secrets = secretsOf("tok-123", request);
		for (const echo of [JSON.stringify(request), Object.values(request).join(" | ")]) {
			const message = cleanServerMessage({ message: `bad: ${echo} tok-123` }, secrets) ?? "";
			for (const secret of ["tok-123", "s3cret", "quotes", "my code", "pass@", "u:p@"]) {
				expect(message).not.toContain(secret);
			}
			expect(message).toContain("bad: ");
		}
	});

	test("a secret that contains another leaves nothing behind", () => {
		const secrets = secretsOf("t", { environment: "A=abcd\nB=abcdefgh" });
		expect(cleanServerMessage({ message: "saw abcdefgh" }, secrets)).not.toContain("efgh");
	});

	test("a secret that the service cuts off or escapes twice leaves nothing behind", () => {
		const request = {
			environment: 'KEY=abcdefgh12345678\nQUOTED=say "qrstuvwx87654321"',
			repository: "https://robot:pass1234word@example.com/r.git",
			requirements: "numpy==2.0.0",
		};
		const secrets = secretsOf("tok-ABCDEFGHIJKL", request);
		const whole = `tok-ABCDEFGHIJKL ${JSON.stringify(JSON.stringify(request))} numpy==2.1`;
		for (let length = 1; length <= whole.length; length += 1) {
			const message = cleanServerMessage({ message: whole.slice(0, length) }, secrets) ?? "";
			for (const part of ["tok-ABCD", "abcdefgh", "12345678", "qrstuvwx", "pass1234"]) {
				expect(message).not.toContain(part);
			}
			if (length === whole.length) expect(message).toContain("numpy==2.1");
		}
	});

	test("a storage config that the service has read leaves nothing behind", () => {
		const secrets = secretsOf("tok-123", {
			environment: String.raw`FSSPEC_S3={"secret":"abcdefgh\u0022\u002fijklmnop","n":1}`,
		});
		const message = cleanServerMessage({ message: 'bad secret abcdefgh"/ijklmnop' }, secrets) ?? "";
		expect(message).toBe("bad secret [redacted]");
	});

	test("ordinary words survive short environment values", () => {
		const secrets = secretsOf("tok", { environment: "DEBUG=1\nMODE=on" });
		expect(cleanServerMessage({ message: "1 job is on hold" }, secrets)).toBe("1 job is on hold");
	});

	test("a password with an @ in it leaves no half behind", () => {
		const request = { repository: "https://user:p@ssword1@host.example/r.git" };
		const secrets = secretsOf("tok-123", request);
		for (const echo of ["cannot clone https://user:p@ssword1@host.example", "wrong password p@ssword1"]) {
			expect(cleanServerMessage({ message: echo }, secrets)).not.toMatch(/ssword1/);
		}
		const other = "seen https://someone:a@b@host.example/x";
		expect(cleanServerMessage({ message: other }, secrets)).toBe("seen https://***@host.example/x");
	});

	const SECRET = 'pä"s\\s w+örd/1?&';
	const encodings: readonly (readonly [string, (text: string) => string])[] = [
		["percent-encoded", encodeURIComponent],
		[
			"percent-encoded in lower case",
			(text) => encodeURIComponent(text).replace(/%../g, (at) => at.toLowerCase()),
		],
		["as a form", (text) => new URLSearchParams({ KEY: text }).toString()],
		["percent-encoded more than needed", (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&")],
		["in base64", (text) => Buffer.from(text).toString("base64")],
		["in base64url", (text) => Buffer.from(text).toString("base64url")],
		["in base64 as a URL's parameter", (text) => encodeURIComponent(Buffer.from(text).toString("base64"))],
		["in JSON", (text) => JSON.stringify({ KEY: text })],
		["in JSON twice", (text) => JSON.stringify(JSON.stringify({ KEY: text }))],
		["in JSON three times", (text) => JSON.stringify(JSON.stringify(JSON.stringify({ KEY: text })))],
		[
			"in JSON that is ASCII only",
			(text) =>
				JSON.stringify(text).replace(
					/[^ -~]/g,
					(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
				),
		],
		["in JSON as a URL's parameter", (text) => encodeURIComponent(JSON.stringify({ KEY: text }))],
	];

	test.each(encodings)("a secret %s leaves nothing behind", (_, encode) => {
		const secrets = secretsOf("tok-123", { environment: `MODE=fast\nKEY=${SECRET}` });
		const message = cleanServerMessage({ message: `bad value <${encode(SECRET)}> given` }, secrets);
		expect(message).toMatch(
			/^bad value <(KEY=|[{"\\]*(KEY[\\":]+)?|%7B%22KEY%22%3A%22)\[redacted\]=*(["}\\]|%22|%7D)*> given$/,
		);
	});

	test.each(encodings)("a short secret %s leaves nothing behind either", (_, encode) => {
		const secrets = secretsOf("tok-123", { environment: "MODE=fast\nKEY=h?nt" });
		const message = cleanServerMessage({ message: `bad value <${encode("h?nt")}> given` }, secrets) ?? "";
		expect(message).toContain("[redacted]");
		expect(message).not.toContain(encode("h?nt"));
	});

	test.each(["", "u:", "us:", "key="])(
		"a secret in base64 with %j before it leaves nothing behind",
		(before) => {
			const secrets = secretsOf("tok-123", { environment: "KEY=hunter2hunter2" });
			const encoded = Buffer.from(`${before}hunter2hunter2, and more`).toString("base64");
			const message = cleanServerMessage({ message: encoded }, secrets) ?? "";
			const [left = "", right = ""] = message.split("[redacted]");
			expect(message).toContain("[redacted]");
			expect(Buffer.from(left, "base64").toString("latin1")).not.toContain("hun");
			expect(right.length).toBeLessThan(22);
		},
	);

	test("the token in base64, as a proxy may quote it, leaves nothing behind", () => {
		const token = "dcp_0123456789abcdef";
		const header = `Basic ${Buffer.from(`user:${token}`).toString("base64")}`;
		const message = cleanServerMessage({ message: `refused ${header}` }, secretsOf(token, {}));
		expect(message).toMatch(/^refused Basic dXNlcjp\[redacted\]\S?=*$/);
	});

	test("a short value goes as a word of its own, and stays a part of an ordinary one", () => {
		const secrets = secretsOf("tok-123", { environment: "STAGE=prod\nUSER=anna\nN=abc" });
		const message = "production: user=anna may not write to prod, savannah can (abc)";
		expect(cleanServerMessage({ message }, secrets)).toBe(
			"production: user=[redacted] may not write to [redacted], savannah can (abc)",
		);
	});

	test("a token goes however short it is", () => {
		expect(cleanServerMessage({ message: "tok is not a token" }, secretsOf("tok", {}))).toBe(
			"[redacted] is not a token",
		);
		expect(withoutToken('{"a":"tok","b":"token"}', secretsOf("tok", {}))).toBe(
			'{"a":"[redacted]","b":"token"}',
		);
	});

	test("a reply keeps values that only begin like the token: they are data", () => {
		const secrets = secretsOf("isat_0123456789abcdef", {});
		const theirs = ["isat_0123456789xyz", Buffer.from("isat_0abcdef").toString("base64")].join(" ");
		expect(withoutToken(theirs, secrets)).toBe(theirs);
		expect(withoutToken("isat_0123456789abcdef", secrets)).toBe("[redacted]");
	});

	test("of secrets that overlap nothing is left", () => {
		const secrets = secretsOf("tok-123", { environment: "A=abcdXYZ12345\nB=12345678" });
		expect(cleanServerMessage({ message: "saw abcdXYZ12345678." }, secrets)).toBe("saw [redacted].");
	});

	test("any secret in any escape leaves nothing behind", () => {
		const secret = fc.string({ unit: "grapheme", minLength: 8 }).filter((text) => text.trim().length >= 8);
		fc.assert(
			fc.property(secret, fc.constantFrom(...encodings), (text, [, encode]) => {
				const value = text.trim();
				const secrets = secretsOf("tok-123", { environment: `KEY=${value}` });
				const encoded = encode(value);
				const message = cleanServerMessage({ message: `saw <${encoded}>` }, secrets) ?? "";
				expect(message).toContain("[redacted]");
				expect(message.length).toBeLessThan(60);
			}),
		);
	});

	test("a long message with many secrets takes no longer than its length asks for", () => {
		const lines = Array.from({ length: 200 }, (_, index) => `KEY${index}=${"a".repeat(index + 8)}`);
		const secrets = secretsOf("tok-123", { environment: lines.join("\n"), query: "a".repeat(100_000) });
		const started = performance.now();
		for (const piece of ["a", "\\", "%41", "\\u0061", "://a:@", "aaaaaaab"]) {
			const message = cleanServerMessage({ message: piece.repeat(300_000) }, secrets) ?? "";
			expect(message.length).toBeLessThan(600);
		}
		expect(performance.now() - started).toBeLessThan(20_000);
	});

	test("a long text that the service quotes in an even longer message leaves nothing behind", () => {
		const query = `import canary\n${"x = 'canary'\n".repeat(50_000)}`;
		const message = cleanServerMessage({ message: `bad query: ${query}` }, secretsOf("tok-123", { query }));
		expect(message).toBe("bad query: [redacted]");
	});

	test.each([undefined, null, [], "text", { message: 5 }, { msg: "x" }])("%j has none", (reply) => {
		expect(cleanServerMessage(reply, secretsOf("tok", {}))).toBeUndefined();
	});
});

test("which object a call is about is shown on one line and not too long", () => {
	expect(whichObject({ schedule_id: 7, schedule_name: "a\nb", environment: "X=1", workers: 2 })).toBe(
		' (schedule_name "a b", schedule_id 7)',
	);
	expect(whichObject({ team_name: "x" })).toBe("");
	expect(whichObject({ name: "x".repeat(500) }).length).toBeLessThan(130);
});

test("a text is cut at its length, not within a character, and in one line", () => {
	expect(printable("ab😀cd", 3)).toBe("ab…");
	expect(printable("abc", 3)).toBe("abc");
	expect(printable("\n abc\u2028def \u0007", 20)).toBe("abc def");
});
