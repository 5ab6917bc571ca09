import { describe, expect, test } from "vitest";
import { type ClientOptions, createClient } from "../../../src/client";
import { limitsOf } from "../../../src/client/options";

const connection = {
	baseUrl: "https://studio.example.com",
	token: "t",
	teamName: "ml",
};

describe("the limits of a client", () => {
	test("have these defaults", () => {
		expect(limitsOf({})).toMatchObject({
			deadlineMillis: 60_000,
			maxWaitMillis: 600_000,
			attemptTimeoutMillis: 20_000,
			maxReplyBytes: 33_554_432,
			maxConnections: 16,
			maxConcurrentWrites: 16,
			maxAttempts: 5,
			retryBudget: 10,
			random: Math.random,
			userAgent: "pulumi-datachain",
		});
	});

	test("are what the options say, in whole numbers", () => {
		const given = {
			deadlineMillis: 1.5,
			maxWaitMillis: 2,
			attemptTimeoutMillis: 3,
			maxReplyBytes: 4,
			maxConnections: 20,
			maxConcurrentWrites: 6,
			maxAttempts: 7,
			retryBudget: 0,
			random: () => 0.5,
			userAgent: "~ mine ~",
			onRetry: () => {},
		};
		expect(limitsOf(given)).toEqual({ ...given, deadlineMillis: 1 });
	});

	test.each<[ClientOptions, number, number]>([
		[{ maxConnections: 40 }, 40, 16],
		[{ maxConcurrentWrites: 40 }, 40, 40],
		[{ maxConcurrentWrites: 40, maxConnections: 4 }, 40, 40],
	])(
		"allow a connection for each write: %o",
		(options, maxConnections, maxConcurrentWrites) => {
			expect(limitsOf(options)).toMatchObject({ maxConnections, maxConcurrentWrites });
		},
	);

	const numbers = Object.entries(limitsOf({})).filter(
		([, value]) => typeof value === "number",
	);
	const names = numbers
		.map(([name]) => name as "maxAttempts")
		.filter((name) => name !== ("retryBudget" as string));
	test.each(names)("must be finite numbers of at least 1: %s", (name) => {
		for (const value of [0, 0.9, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
			expect(() => createClient(connection, { [name]: value })).toThrow(
				new RangeError(`The client option ${name} must be a number of at least 1.`),
			);
		}
		expect(limitsOf({ [name]: 1 })[name]).toBe(1);
	});

	test.each(["", "a\nb", "\u007f"])(
		"a user agent that a header cannot carry is refused: %j",
		(userAgent) => {
			expect(() => createClient(connection, { userAgent })).toThrow(
				new RangeError("The client option userAgent must be printable ASCII."),
			);
		},
	);
});
