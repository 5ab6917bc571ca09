import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
	AbortedError,
	type ApiError,
	type CallFacts,
	ConflictError,
	errorCode,
	InvalidRequestError,
	isMissing,
	LogStreamError,
	NotAuthenticatedError,
	NotAuthorizedError,
	NotFoundError,
	RateLimitedError,
	RefusedError,
	ServerError,
	UnexpectedReplyError,
	withoutRequest,
} from "../../../src/client/errors";
import { NetworkError, TimeoutError } from "../../../src/client/network-errors";
import { callFacts } from "../../helpers/api-calls";

const posted = callFacts();
const read = callFacts({ method: "GET" });
const underPath = callFacts({ baseUrl: "https://studio.example.com/api/ml/api" });

const WRONG_PATH =
	"The path /api/ml of the base URL looks wrong: set DATACHAIN_STUDIO_URL or datachain:baseUrl to https://studio.example.com if the service is there.";
const ADDRESS =
	"Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) points to the service, and that no proxy answers in its place.";
const LOOK = "Check whether the service carried out the request before you try again.";
const PROXIED =
	"the proxy that HTTPS_PROXY or ALL_PROXY names does not let the request through";
const ACCOUNT =
	"Check that variable and the account in it, or name the service's host in NO_PROXY to go without.";
const CERTIFICATE =
	"Check the base URL and the certificate, or NODE_EXTRA_CA_CERTS for your own authority.";
const NETWORK =
	"Check the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) and the network.";
const raise = (limit: string) =>
	`Programs that use the client themselves can raise its ${limit}.`;

describe("a message says what went wrong and what to do about it", () => {
	// Made in the test, so that a mutant of the message is seen.
	test.each<[string, () => ApiError]>([
		["it was cancelled. Nothing was done.", () => new AbortedError(posted, false)],
		[
			`it was cancelled. ${LOOK}`,
			() => new AbortedError(callFacts({ receivedBefore: true }), false),
		],
		[
			'409, it conflicts with the current state in the service. The service says: "Release 1.2 is out". ' +
				"Read the object again and repeat the change on its current version.",
			() =>
				new ConflictError(posted, { status: 409, serverMessage: "Release 1.2 is out" }),
		],
		[
			"name is missing; nothing changes. Nothing was sent; correct the request.",
			() =>
				InvalidRequestError.unsent(posted, [
					{ field: "name", reason: "is missing" },
					{ field: "", reason: "nothing changes" },
				]),
		],
		[
			'422, the service refused the request. The service says: "what?" Correct the request.',
			() =>
				InvalidRequestError.refused(posted, { status: 422, serverMessage: "what?" }),
		],
		[
			`nothing listens at the base URL's address (ECONNREFUSED). ${NETWORK}`,
			() => new NetworkError(posted, "ECONNREFUSED", false),
		],
		[
			`the server's certificate or TLS is not acceptable (CERT_HAS_EXPIRED). ${CERTIFICATE}`,
			() => new NetworkError(posted, "CERT_HAS_EXPIRED", false),
		],
		[
			"HTTPS_PROXY or ALL_PROXY is not an http:// or https:// URL. " +
				"Write it as http://host:port, or name the service's host in NO_PROXY to go without.",
			() => new NetworkError(posted, "PROXY_URL", false),
		],
		[
			`${PROXIED} (PROXY_503). ${ACCOUNT}`,
			() => new NetworkError(posted, "PROXY_503", false),
		],
		[
			"401, the service did not accept the token. Run `pulumi-datachain doctor` to see where the token is set. If it has expired, " +
				"create a new one on the tokens page of the web UI, or with `datachain auth login`.",
			() => new NotAuthenticatedError(posted, { status: 401 }),
		],
		[
			'403, the token may not do this in team "ml". ' +
				"Check the team name, or use a token with the needed read or write access to the JOB scope.",
			() => new NotAuthorizedError(posted, { status: 403 }),
		],
		[
			'404, the service knows no such object in team "ml". The service says: "none". Check the id or name and the team.',
			() => new NotFoundError(posted, { status: 404, serverMessage: "none" }),
		],
		[
			"429, the service limits the rate of requests. Try again later, or with less parallelism.",
			() => new RateLimitedError(posted, { status: 429 }),
		],
		[
			'the service answered "ok": false. Read the object back to see its current values.',
			() => new RefusedError(posted, { status: 200 }),
		],
		[
			"503, the service failed. Try again in 2 s, as the service asks.",
			() => new ServerError(posted, { status: 503, retryAfterMillis: 1_001 }),
		],
		[
			`no connection within 1.5 s, the limit of one attempt. Nothing was sent; check the network. ${raise("attemptTimeoutMillis")}`,
			() => new TimeoutError(posted, "connect", false, 1_500),
		],
		[
			`it was not done within 60 s, the deadline of the whole call. ${LOOK} ${raise("deadlineMillis")}`,
			() => new TimeoutError(posted, "deadline", "unknown", 60_000),
		],
		[
			"its turn did not come within 600 s, the limit of waiting for other writes and for the service's rate limit. " +
				"Try again later, or with fewer writes at once.",
			() => new TimeoutError(posted, "queue", false, 600_000),
		],
		[
			"408, the service waited too long for the request and ended it by a limit of its own. " +
				'The service says: "too slow." Try again; no limit of this client ran out.',
			() =>
				new TimeoutError(posted, "server", "unknown", 0, {
					serverMessage: "too slow.",
				}),
		],
		[
			`404, but not in the service's own form, so it may come from a proxy or a wrong base URL. ${WRONG_PATH}`,
			() => new NotFoundError(underPath, { status: 404 }),
		],
		[
			`it is cut off. ${ADDRESS}`,
			() =>
				new UnexpectedReplyError(underPath, {
					reason: "it is cut off",
					received: true,
					transient: true,
				}),
		],
		[
			"the connection was cut before a response came (ECONNRESET). Try again.",
			() => new NetworkError(read, "ECONNRESET", "unknown"),
		],
		[
			"it is new. Look for an update.",
			() =>
				new UnexpectedReplyError(underPath, {
					reason: "it is new",
					advice: "Look for an update.",
					received: true,
				}),
		],
	])("%s", (says, make) => {
		const error = make();
		expect(error.message).toBe(
			`Could not do it (${error.method} /x/, request r-1): ${says}`,
		);
		expect(error.name).toBe(error.constructor.name);
	});

	test("a rate limit with a time names the moment", () => {
		vi.useFakeTimers({ now: Date.parse("2026-01-31T03:00:00Z") });
		onTestFinished(() => void vi.useRealTimers());
		expect(new RateLimitedError(posted, { retryAfterMillis: 7_001 }).message).toBe(
			"Could not do it (POST /x/, request r-1): the service limits the rate of requests. " +
				"Try again at 2026-01-31T03:00:07.001Z (in 8 s).",
		);
	});
});

test.each<[Partial<CallFacts>, string, string | undefined]>([
	[{ attempts: 0 }, "Could not do it (POST /x/):", undefined],
	[
		{ attempts: 12 },
		"Could not do it after 12 attempts (POST /x/, request r-1):",
		"r-1",
	],
	[{ requestId: undefined }, "Could not do it (POST /x/):", undefined],
])(
	"a message says how often it was tried, and the request's id: %o",
	(given, start, requestId) => {
		const error = new AbortedError(callFacts(given), false);
		expect(error.message).toBe(`${start} it was cancelled. Nothing was done.`);
		expect(withoutRequest(error.message)).toBe(
			"Could not do it (POST /x/): it was cancelled. Nothing was done.",
		);
		const { attempts = 1 } = given;
		expect(error).toMatchObject({
			code: "ABORT_ERR",
			requestId,
			attempts,
			method: "POST",
			path: "/x/",
		});
	},
);

describe("a network code", () => {
	test.each([
		["ENOTFOUND", "the base URL's host name is not known (ENOTFOUND)"],
		["EAI_AGAIN", "the DNS server does not answer (EAI_AGAIN)"],
		["EHOSTUNREACH", "there is no route to the host (EHOSTUNREACH)"],
		["ENETUNREACH", "the network is not reachable (ENETUNREACH)"],
		["ECONNRESET", "the connection was cut before a response came (ECONNRESET)"],
		[
			"UND_ERR_SOCKET",
			"the connection was cut before a response came (UND_ERR_SOCKET)",
		],
		["PROXY_502", `${PROXIED} (PROXY_502)`],
	])("%s is worth another attempt: %s", (code, why) => {
		const error = new NetworkError(read, code, "unknown");
		expect(error).toMatchObject({ code, transient: true });
		expect(error.message).toContain(`: ${why}. `);
	});

	test.each([
		"PROXY_URL",
		"PROXY_407",
		"EPROTO",
		"ERR_SSL_WRONG_VERSION_NUMBER",
		"UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
		"DEPTH_ZERO_SELF_SIGNED_CERT",
		"ERR_TLS_CERT_ALTNAME_INVALID",
	])("%s is not worth another attempt", (code) => {
		expect(new NetworkError(read, code, false).transient).toBe(false);
	});
});

test("a timeout is worth another attempt, unless the call's own time is over", () => {
	const kinds = ["connect", "reply", "server", "deadline", "queue"] as const;
	const again = kinds.filter(
		(kind) => new TimeoutError(read, kind, false, 1_000).transient,
	);
	expect(again).toEqual(["connect", "reply", "server"]);
});

test("a log that cannot be read on was asked for all the same", () => {
	expect(new LogStreamError(read, "it ended", "Look.").received).toBe(true);
});

test.each<[string, unknown, string]>([
	[
		"a system's error",
		Object.assign(new Error("open /a"), { code: "ENOENT" }),
		"ENOENT",
	],
	["an error without a code", new Error("open /a"), "none"],
	[
		"an error whose code is no text",
		Object.assign(new Error("open /a"), { code: 2 }),
		"none",
	],
	["what is no error", { code: "ENOENT" }, "none"],
])("the code of %s", (_, error, code) => {
	expect(errorCode(error, "none")).toBe(code);
	expect(errorCode(error)).toBe(code === "none" ? "unknown" : code);
});

test.each<[string | undefined, boolean]>([
	["Pipeline not found.", true],
	["The job doesn't exist", true],
	["It DOES NOT EXIST", true],
	["no such schedule", true],
	["Invalid id.", false],
	[undefined, false],
])(
	"an object is missing where the service itself says so: %s, %s",
	(serverMessage, missing) => {
		expect(
			isMissing(InvalidRequestError.refused(read, { status: 400, serverMessage })),
		).toBe(missing);
		const isSaid = serverMessage !== undefined;
		expect(isMissing(new NotFoundError(read, { status: 404, serverMessage }))).toBe(
			isSaid,
		);
		expect(isMissing(new ConflictError(read, { status: 409, serverMessage }))).toBe(
			false,
		);
	},
);
