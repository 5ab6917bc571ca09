import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
	ApiError,
	type RateLimitedError,
	RefusedError,
	UnexpectedReplyError,
} from "../../../src/client/errors";
import { secretsOf } from "../../../src/client/redaction";
import {
	readReply,
	retryAfterMillis,
	type Unreadable,
} from "../../../src/client/reply";
import type { RawReply } from "../../../src/client/transport";
import { callFacts } from "../../helpers/api-calls";

const TOKEN = "canary-token";
const JSON_TYPE = { "content-type": "application/json" };
const anything = z.unknown();

interface Given {
	readonly status?: number;
	readonly headers?: RawReply["headers"];
	readonly body?: string | Buffer;
	readonly schema?: z.ZodType;
	readonly method?: "GET" | "POST";
	readonly path?: string;
}

function read(given: Given) {
	const {
		status = 200,
		headers = JSON_TYPE,
		body = "{}",
		schema = anything,
		method = "POST",
		path,
	} = given;
	const unreadable: Unreadable[] = [];
	const raw = { status, headers, body: Buffer.from(body) };
	const reply = readReply(raw, {
		call: callFacts({ method, ...(path !== undefined && { path }) }),
		schema,
		secrets: secretsOf(TOKEN, {}),
		onUnreadable: (one) => unreadable.push(one),
	});
	return { reply, unreadable };
}

function refusal(given: Given): ApiError {
	try {
		read(given);
	} catch (error) {
		if (error instanceof ApiError) return error;
		throw error;
	}
	throw new Error("it was read");
}

const START = "Could not do it (POST /x/, request r-1): ";
const ADDRESS =
	" Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) points to the service, and that no proxy answers in its place.";

describe("a status", () => {
	test.each([
		[200, ""],
		[299, "identity"],
	])("of %d is a success, with the encoding %j", (status, encoding) => {
		expect(
			read({ status, headers: { ...JSON_TYPE, "content-encoding": encoding } }).reply,
		).toEqual({});
	});

	test.each([
		[204, "", "the response is empty", true],
		[200, "\n", "the response is empty", true],
		[200, "null", "the response does not have the documented form: ", false],
	])(
		"of %d with %j answers a write with nothing, which is read back, and no read",
		(status, body, why, transient) => {
			const none = { status, headers: { "content-type": "text/html" }, body };
			const schema = z.object({ id: z.int() });
			expect(
				read({ ...none, schema: z.looseObject({ ok: z.boolean().optional() }) }).reply,
			).toEqual({});
			const facts = { name: "UnexpectedReplyError", status, received: true };
			expect(refusal({ ...none, schema })).toMatchObject({
				...facts,
				transient: false,
			});
			const unread = refusal({ ...none, headers: JSON_TYPE, schema, method: "GET" });
			expect(unread).toMatchObject({ ...facts, transient });
			expect(unread.message).toContain(
				`${START.replace("POST", "GET")}${status}, but ${why}`,
			);
		},
	);

	test.each<[number, string | undefined, string, Given["method"]?]>([
		[300, undefined, ""],
		[399, "mailto:ops@example.com", ""],
		[
			302,
			"https://ann:canary@sso.example.com/login?next=canary",
			" to https://sso.example.com",
		],
		[303, "/done", " to https://studio.example.com"],
		[302, "/login", " to https://studio.example.com", "GET"],
		[308, "/login", " to https://studio.example.com"],
		[307, `https://${TOKEN}.example.com`, ""],
	])(
		"of %d is a redirect, which is never followed: to %s",
		(status, location, to, method = "POST") => {
			const error = refusal({ status, headers: { location }, method });
			// A form's answer often is one of these two, after its work.
			const received =
				method === "POST" && (status === 302 || status === 303) ? "unknown" : false;
			expect(error).toMatchObject({
				name: "UnexpectedReplyError",
				status,
				received,
				transient: false,
			});
			const summary =
				`${START.replace("POST", method)}${status}, a redirect${to}, which is never followed because it would carry the token elsewhere. ` +
				"Set the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) to the final address, https included.";
			const check =
				" Check whether the service carried out the request before you try again.";
			expect(error.message).toBe(received ? summary + check : summary);
			if (received) expect(error.summary).toBe(summary);
		},
	);

	test.each([
		["/api/datachain/jobs", "/datachain/jobs/"],
		[
			"https://studio.example.com/api/datachain/pipeline/list/?team_name=ml",
			"/datachain/pipeline/list",
		],
	])(
		"of 308 to %s, which differs only in the slash, is not a matter of the base URL",
		(location, path) => {
			const { message } = refusal({
				status: 308,
				headers: { location },
				method: "GET",
				path,
			});
			expect(message).toContain(
				"308, a redirect to the same address with another slash at its end. A proxy before the service changes paths: have it pass them on unchanged.",
			);
			expect(message).not.toContain("base URL");
		},
	);

	test.each([
		[199, "unknown"],
		[402, false],
	])("of %d is not one of this API, and says so", (status, received) => {
		const error = refusal({ status, body: '{"message":"no"}' });
		expect(error).toMatchObject({
			name: "UnexpectedReplyError",
			status,
			received,
			serverMessage: "no",
		});
		expect(error.message).toBe(
			`${START}${status}, which this API does not use. The service says: "no".${ADDRESS}`,
		);
	});

	test.each([
		[400, "InvalidRequestError"],
		[401, "NotAuthenticatedError"],
		[403, "NotAuthorizedError"],
		[404, "NotFoundError"],
		[408, "TimeoutError"],
		[409, "ConflictError"],
		[422, "InvalidRequestError"],
		[429, "RateLimitedError"],
		[500, "ServerError"],
	])(
		"of %d has its own error class, with the service's words where they are its own",
		(status, name) => {
			const fromService = (is: boolean) => status === 404 && { fromService: is };
			const received = status === 408 || status >= 500 ? "unknown" : false;
			const own = { name, status, serverMessage: "no", received, ...fromService(true) };
			expect(refusal({ status, body: '{"message":"no"}' })).toMatchObject(own);
			const page = { name, status, serverMessage: undefined, ...fromService(false) };
			expect(refusal({ status, body: "<html>" })).toMatchObject(page);
		},
	);

	test.each([429, 503])(
		"of %d says how long to wait, by the first of its headers",
		(status) => {
			const limited = refusal({ status, headers: { "retry-after": ["7", "9"] } });
			expect(limited).toMatchObject({ retryAfterMillis: 7000 });
		},
	);
});

describe("a reply that says ok: false", () => {
	test("is an error", () => {
		const error = refusal({ body: '{"ok":false,"message":"paused"}' });
		expect(error).toBeInstanceOf(RefusedError);
		expect(error).toMatchObject({
			status: 200,
			serverMessage: "paused",
			received: "unknown",
		});
	});

	test.each(['{"ok":true}', '{"ok":null}', "{}", "false", '"ok"', "[]"])(
		"is not seen in %s",
		(body) => {
			expect(read({ body }).reply).toEqual(JSON.parse(body));
		},
	);
});

describe("what is not the JSON that was asked for", () => {
	const typed = (...type: string[]) => ({ "content-type": type });
	const GZIP = { ...JSON_TYPE, "content-encoding": "gzip" };
	test.each<[string, boolean, Given]>([
		["the response is compressed, which was not asked for", false, { headers: GZIP }],
		["the response is a web page and not JSON", false, { headers: typed("Text/HTML") }],
		["the response is not UTF-8", true, { body: Buffer.from([0x22, 0xff, 0x22]) }],
		["the JSON is broken or cut off", true, { body: '{"a":' }],
		[
			"the response is not JSON",
			false,
			{ body: "a b", headers: typed("text/plain"), schema: z.object({}) },
		],
	])("%s; worth another attempt: %s", (why, transient, given) => {
		const error = refusal(given);
		expect(error).toBeInstanceOf(UnexpectedReplyError);
		expect(error).toMatchObject({ status: 200, received: true, transient });
		expect(error.message).toBe(`${START}200, but ${why}.${ADDRESS}`);
	});

	test("is text where that may be, without the token", () => {
		const plain = { headers: { "content-type": "text/plain" } };
		expect(read({ ...plain, body: `a ${TOKEN}` }).reply).toBe("a [redacted]");
		expect(read({ ...plain, body: '{"a":1}' }).reply).toEqual({ a: 1 });
		expect(read({ headers: {}, body: "a b" }).reply).toBe("a b");
	});
});

describe("a reply that does not have the documented form", () => {
	const element = z.looseObject({ id: z.int(), name: z.string().optional() });
	const problem = (schema: z.ZodType, content: unknown): string => {
		const error = refusal({ schema, body: JSON.stringify(content) });
		const odd = {
			name: "UnexpectedReplyError",
			status: 200,
			received: true,
			transient: false,
		};
		expect(error).toMatchObject(odd);
		const [, why] =
			/^.*: 200, but the response does not have the documented form: (.*)\. The service may be newer than this package: look for an update, and report it if there is none\.$/.exec(
				error.message,
			) ?? [undefined, error.message];
		return why ?? "";
	};

	test("is described by up to three wrong fields, or as a whole", () => {
		expect(problem(element, 7)).toMatch(
			/^the response: Invalid input: expected object/,
		);
		const four = z.object({
			a: z.string(),
			b: z.object({ c: z.string() }),
			d: z.string(),
			e: z.string(),
		});
		expect(problem(four, { b: {} })).toMatch(/^a: [^;]+; b\.c: [^;]+; d: [^;]+$/);
	});

	test.each(["environment", "environment_variables", "params", "metrics"])(
		"does not name the keys that users chose in %s",
		(map) => {
			const open = z.object({ [map]: z.record(z.string(), z.string()) });
			expect(problem(open, { [map]: { canary: 1 } })).toMatch(new RegExp(`^${map}: `));
			const schema = z.object({ run: open });
			expect(problem(schema, { run: { [map]: { canary: 1 } } })).toMatch(
				new RegExp(`^run\\.${map}: `),
			);
		},
	);

	test("is an error for a list with nothing that can be read", () => {
		expect(problem(z.array(element), [{ id: "7" }, { id: "8" }])).toMatch(
			/^0\.id: [^;]+; 1\.id: /,
		);
	});

	test("is an error for an object in place of a list, and the other way round", () => {
		expect(problem(z.array(element), { id: 7 })).toMatch(
			/^the response: Invalid input: expected array/,
		);
		expect(problem(element, [{ id: 7 }])).toMatch(
			/^the response: Invalid input: expected object/,
		);
	});

	test("is read without the elements of a list that do not have it", () => {
		const body = JSON.stringify([{ id: "x" }, { id: 2 }, 3]);
		expect(read({ body, schema: z.array(element) })).toEqual({
			reply: [{ id: 2 }],
			unreadable: [
				{ which: "x", id: "x", why: expect.stringMatching(/^id: Invalid input/) },
				{
					which: "position 3",
					why: expect.stringMatching(/^the response: Invalid input/),
				},
			],
		});
	});

	const long = "n".repeat(101);
	test.each<[which: string, element: unknown, identity: object]>([
		[
			"night ly",
			{ id: 7, schedule_name: "night\nly", name: "n" },
			{ id: 7, name: "night\nly" },
		],
		[
			"n",
			{ schedule_name: "", name: "n", pipeline_id: "p", id: "i" },
			{ id: "i", name: "n" },
		],
		[
			"p",
			{ schedule_name: 5, name: "", pipeline_id: "p" },
			{ id: "p", name: undefined },
		],
		["position 2", { id: "" }, { id: undefined, name: undefined }],
		[`${"n".repeat(100)}…`, { id: "7", name: long }, { id: "7", name: long }],
	])("an element that was left out is known as %s: %j", (which, odd, identity) => {
		const schema = z.array(z.looseObject({ good: z.literal(true) }));
		const { unreadable } = read({
			body: JSON.stringify([{ good: true }, odd]),
			schema,
		});
		expect(unreadable).toMatchObject([{ which, ...identity }]);
	});
});

describe("Retry-After", () => {
	const now = Date.parse("2026-01-01T00:00:00Z");

	test.each([
		[" 17 ", 17_000],
		["1.0005", 1001],
		["Wed 31 Dec 2025 23:59:00 GMT", 0],
		["Thu, 01 Jan 2026 00:00:30 GMT", 30_000],
		["Thursday, 01-Jan-26 00:00:30 GMT", 30_000],
	])("%j means %d ms from now", (header, millis) => {
		expect(retryAfterMillis(header, now)).toBe(millis);
	});

	test("as a date is read by the service's clock, which may be hours off, if the service tells its time", () => {
		const limited = (date: string | undefined, after: Date) =>
			refusal({ status: 429, headers: { date, "retry-after": after.toUTCString() } });
		const inThreeHours = Date.now() + 3 * 3_600_000;
		const there = new Date(inThreeHours).toUTCString();
		expect(limited(there, new Date(inThreeHours + 7000))).toMatchObject({
			retryAfterMillis: 7000,
		});
		for (const date of [undefined, "soon"]) {
			const { retryAfterMillis: millis } = limited(
				date,
				new Date(inThreeHours),
			) as RateLimitedError;
			expect(millis).toBeGreaterThan(2.9 * 3_600_000);
		}
	});

	const others = [
		"",
		"soon",
		"-1",
		"1000000000",
		"x7",
		"7x",
		"1.",
		"2026-01-01",
		"Foo, bar",
	];
	test.each([...others, "x Thu, 01 Jan 2026 00:00:30 GMT"])(
		"%j is not understood",
		(header) => {
			expect(retryAfterMillis(header, now)).toBeUndefined();
		},
	);
});
