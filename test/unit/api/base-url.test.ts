import { describe, expect, test } from "vitest";
import { ConnectionError } from "../../../src/api";
import { normalizeBaseUrl } from "../../../src/api/base-url";

const messageFor = (text: string): string => {
	try {
		normalizeBaseUrl(text);
	} catch (error) {
		if (error instanceof ConnectionError) return error.message;
		throw error;
	}
	throw new Error(`${text} was accepted`);
};

describe("base URL", () => {
	test.each([
		["https://studio.example.com", "https://studio.example.com/api"],
		["https://studio.example.com/", "https://studio.example.com/api"],
		["https://studio.example.com/api", "https://studio.example.com/api"],
		["https://studio.example.com/api///", "https://studio.example.com/api"],
		["https://studio.example.com:8443/tenant", "https://studio.example.com:8443/tenant/api"],
		["https://studio.example.com/myapi", "https://studio.example.com/myapi/api"],
		["  https://Studio.Example.com/api  ", "https://studio.example.com/api"],
		["http://localhost:8080", "http://localhost:8080/api"],
		["http://127.0.0.1:1", "http://127.0.0.1:1/api"],
		["http://127.8.9.1:1/api", "http://127.8.9.1:1/api"],
		["http://[::1]:9/", "http://[::1]:9/api"],
	])("%s becomes %s", (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	test.each([
		["http://studio.example.com", "unencrypted"],
		["http://127.0.0.1.evil.example", "unencrypted"],
		["http://localhost.evil.example", "unencrypted"],
		["http://10.0.0.1", "unencrypted"],
		["https://studio.example.com/api?x=1", "query"],
		["https://studio.example.com/api?", "query"],
		["https://studio.example.com/api#a", "fragment"],
		["ftp://studio.example.com", "https://"],
		["studio.example.com", "https://"],
		["https://", "https://"],
		["https://studio.exa mple.com", "space"],
		["https://studio.example.com:99999", "not a URL"],
	])("%s is refused: %s", (given, why) => {
		expect(messageFor(given)).toContain(why);
	});

	test.each([
		"https://user:canary@studio.example.com",
		"https://canary@studio.example.com/api",
		"https://user:canary@ho st",
	])("a password in the URL is refused and never repeated: %s", (given) => {
		expect(messageFor(given)).not.toContain("canary");
	});
});
