import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	holdsUrlCredentials,
	urlCredentials,
	withoutUrlCredentials,
} from "../../../src/text/credentials";

describe("credentials in URLs", () => {
	test.each([
		["https://user:pass@host/r.git", "https://***@host/r.git", ["user:pass", "pass"]],
		[
			"https://user:p@ss@host/r.git@main",
			"https://***@host/r.git@main",
			["user:p@ss", "p@ss"],
		],
		["https://t0ken@host/r", "https://***@host/r", ["t0ken"]],
		[
			"https://t0ken:x-oauth-basic@host/r",
			"https://***@host/r",
			["t0ken:x-oauth-basic", "t0ken"],
		],
		["https://t0ken:@host/r", "https://***@host/r", ["t0ken:", "t0ken"]],
		[
			"https://user:pass/w?r#d@host/r",
			"https://***@host/r",
			["user:pass/w?r#d", "pass/w?r#d"],
		],
		[
			"a https://u:p@h/x b ftp://v:q@i/y",
			"a https://***@h/x b ftp://***@i/y",
			["u:p", "p", "v:q", "q"],
		],
		["https://[user]:pass/w@host/r", "https://***@host/r", ["[user]:pass/w", "pass/w"]],
		[
			"https://t0ken:secret://w@host",
			"https://***@host",
			["t0ken:secret://w", "secret://w"],
		],
		["https://host/a://t0ken@b", "https://host/a://***@b", ["t0ken"]],
		[
			"https://host/r?ref=main&access_token=t0ken#a",
			"https://host/r?ref=main&access_token=***#a",
			["t0ken"],
		],
		[
			"a @ https://host/a.whl?X-Amz-Signature=abc",
			"a @ https://host/a.whl?X-Amz-Signature=***",
			["abc"],
		],
		[
			"https://h/?token=abc,https://u:p@i/r",
			"https://h/?token=***",
			["abc,https://u:p@i/r", "u:p", "p"],
		],
		[
			"https://u:p?token=abc@h/r",
			"https://***",
			["u:p?token=abc", "p?token=abc", "abc@h/r"],
		],
	])("%s", (text, masked, credentials) => {
		expect(holdsUrlCredentials(text)).toBe(true);
		expect(withoutUrlCredentials(text)).toBe(masked);
		expect(urlCredentials(text)).toEqual(credentials);
	});

	test.each([
		"https://host:8443/repo@main",
		"https://host?mail=a@b",
		"https://host/r?ref=main&tokens=3&design=flat",
		"https://[::1]:8080/repo@main",
		"ssh://git@host/repo.git",
		"git+ssh://git@host:org/repo.git@main",
		"https://@host/x",
		"https://[fe80::1%25eth0]:/repo@main",
		"me@example.com,https://host:port/x",
	])("%j has none", (text) => {
		expect(holdsUrlCredentials(text)).toBe(false);
		expect(withoutUrlCredentials(text)).toBe(text);
		expect(urlCredentials(text)).toEqual([]);
	});

	test("no part of a password is left, whatever characters it has", () => {
		const password = fc.string({
			unit: fc.constantFrom(..."ab1@:%!*-._~+=&,;'\""),
			minLength: 1,
		});
		fc.assert(
			fc.property(password, (secret) => {
				const url = `https://user:${secret}@host.example/repo@main`;
				expect(withoutUrlCredentials(url)).toBe("https://***@host.example/repo@main");
				expect(urlCredentials(url)).toContain(`user:${secret}`);
			}),
		);
	});

	test("take no longer in a text that is made of nothing else", () => {
		// By the time of the processor: the machine may have other work.
		const started = process.cpuUsage();
		for (const piece of ["://", "@", "://@", "://a:b", "://a:b@", "://a:b/"]) {
			const text = piece.repeat(200_000);
			holdsUrlCredentials(`${text}@`);
			withoutUrlCredentials(`${text}@`);
		}
		expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
	});
});
