import { describe, expect, test } from "vitest";
import { cleanServerMessage, printable, secretsOf, whichObject } from "../../../src/api/redact";

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

test("a text is not cut within a character", () => {
	expect(printable("ab😀cd", 3)).toBe("ab…");
});
