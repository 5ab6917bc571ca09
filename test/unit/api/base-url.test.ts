import { describe, expect, test } from "vitest";
import { ConnectionError } from "../../../src/api";
import { normalizeBaseUrl } from "../../../src/api/base-url";

const messageFor = (text: string): string => {
	try {
		normalizeBaseUrl(text);
	} catch (error) {
		if (error instanceof ConnectionError) {
			expect(error.settings).toEqual(["baseUrl"]);
			return error.message;
		}
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
		["https://studio.example.com/api/tenant", "https://studio.example.com/api/tenant/api"],
		["https://studio.example.com/myapi", "https://studio.example.com/myapi/api"],
		["  https://Studio.Example.com/api  ", "https://studio.example.com/api"],
		["http://localhost:8080", "http://localhost:8080/api"],
		["http://127.0.0.1:1", "http://127.0.0.1:1/api"],
		["http://127.8.9.1:1/api", "http://127.8.9.1:1/api"],
		["http://127.100.200.255", "http://127.100.200.255/api"],
		["HTTPS://studio.example.com", "https://studio.example.com/api"],
		["http://[::1]:9/", "http://[::1]:9/api"],
	])("%s becomes %s", (given, expected) => {
		expect(normalizeBaseUrl(given)).toBe(expected);
	});

	const WRITE = "Write it as https://studio.example.com, with or without /api.";
	const unencrypted = (host: string) =>
		`it would send the token unencrypted to ${host}. Use https://; plain http is for loopback addresses only.`;
	test.each([
		["http://studio.example.com", unencrypted("studio.example.com")],
		["http://127.0.0.1.evil.example:80", unencrypted("127.0.0.1.evil.example")],
		["http://localhost.evil.example", unencrypted("localhost.evil.example")],
		["http://10.0.0.1", unencrypted("10.0.0.1")],
		["https://studio.example.com/api?x=1", "it has a query. Remove everything from the ? on."],
		["https://studio.example.com/api?", "it has a query. Remove everything from the ? on."],
		["https://studio.example.com/api#a", "it has a fragment. Remove everything from the # on."],
		["ftp://studio.example.com", `it does not start with https://. ${WRITE}`],
		["studio.example.com", `it does not start with https://. ${WRITE}`],
		["at https://studio.example.com", `it does not start with https://. ${WRITE}`],
		["https://", `it does not start with https://. ${WRITE}`],
		["https:///studio.example.com", `it does not start with https://. ${WRITE}`],
		["https://studio.exa mple.com", "it has a space, a backslash or a control character. Remove it."],
		["https://studio.example.com\\api", "it has a space, a backslash or a control character. Remove it."],
		["https://studio\u0007.example.com", "it has a space, a backslash or a control character. Remove it."],
		["https://studio.example.com:99999", `it is not a URL. ${WRITE}`],
		[
			"https://user@studio.example.com",
			"it has a user name or password in it. Remove them; the token is a setting of its own.",
		],
		[
			"https://:pass@studio.example.com",
			"it has a user name or password in it. Remove them; the token is a setting of its own.",
		],
	])("%j is refused: %s", (given, why) => {
		expect(messageFor(given)).toBe(`The base URL cannot be used: ${why}`);
	});

	test.each([
		"https://user:canary@studio.example.com",
		"https://canary@studio.example.com/api",
		"https://user:canary@ho st",
	])("a password in the URL is refused and never repeated: %s", (given) => {
		expect(messageFor(given)).not.toContain("canary");
	});
});
