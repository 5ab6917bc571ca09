import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { PipelineSchedule } from "../../../src/resources/pipeline-schedule";
import { PipelineSettings } from "../../../src/resources/pipeline-settings";
import { isOutput } from "../../../src/resources/values";
import { registered } from "./program";

/** Whether an output is known, and its value where it is. */
async function shown(output: unknown): Promise<unknown> {
	if (!isOutput(output)) throw new Error("That is no output.");
	return (await output.isKnown) ? { known: await output.promise() } : "unknown";
}

const state = {
	pipelineName: "etl",
	scheduleName: "nightly",
	scheduleId: 7,
	serviceUrl: "https://service",
};

/** The resource that a program declares, once the engine has answered. */
async function declared<Kind extends pulumi.CustomResource>(
	make: () => Kind,
	options: Parameters<typeof registered>[1] = {},
): Promise<Kind> {
	const made: Kind[] = [];
	const program = () => {
		made.push(make());
		return made;
	};
	await registered(program, { preview: true, ...options });
	const [only] = made;
	if (only === undefined) throw new Error("Nothing was declared.");
	return only;
}

const nightly = (args = {}) =>
	new PipelineSchedule("nightly", { pipelineName: "etl", ...args });

describe("in a preview", () => {
	test("outputs that a resource does not have are undefined, not unknown", async () => {
		const existing = await declared(nightly, { outputs: state });
		for (const output of [
			existing.latestRun,
			existing.nextRun,
			existing.cronExpression,
			existing.paused,
		]) {
			expect(await shown(output)).toEqual({ known: undefined });
		}
		expect(await shown(existing.scheduleId)).toEqual({ known: 7 });
	});

	test("outputs of a resource that is still to be made are unknown, and inputs left out are undefined", async () => {
		const fresh = await declared(() => nightly({ scheduleName: "nightly" }));
		expect(await shown(fresh.latestRun)).toBe("unknown");
		expect(await shown(fresh.scheduleId)).toBe("unknown");
		expect(await shown(fresh.teamName)).toBe("unknown");
		expect(await shown(fresh.startAfter)).toEqual({ known: undefined });
		expect(await shown(fresh.scheduleName)).toEqual({ known: "nightly" });
	});

	describe("the description of a schedule", () => {
		const described = async (
			args: object,
			outputs: Readonly<Record<string, unknown>> = {},
		) => shown((await declared(() => nightly(args), { outputs })).cronDescription);

		test.each([
			[
				"an expression in UTC",
				{ cronExpression: "0 3 * * *" },
				"every day at 03:00 UTC",
			],
			[
				"an expression in a time zone",
				{ cronExpression: "0 3 * * *", timeZone: "Europe/Berlin" },
				"every day at 03:00 Europe/Berlin",
			],
			[
				"one start",
				{ startAfter: "2026-01-31T04:00:00+01:00" },
				"once, at 2026-01-31T03:00:00Z",
			],
		])("is known of a new schedule with %s", async (_, args, text) => {
			expect(await described(args, args)).toEqual({ known: text });
		});

		test.each(["H 3 * * *", "h 3 * * *"])(
			"is known of %s as soon as team and name are",
			async (cronExpression) => {
				const args = { cronExpression };
				expect(await described(args, args)).toBe("unknown");
				const place = { teamName: "ml", scheduleName: "nightly" };
				expect(await described(args, { ...args, ...place })).toEqual({
					known: expect.stringMatching(/^every day at 03:\d\d UTC$/),
				});
			},
		);
	});

	test("a secret output stays secret", async () => {
		const environment = { A: pulumi.secret("1") };
		const outputs = { ...state, environment };
		const settings = () =>
			new PipelineSettings("etl", { pipelineName: "etl", environment });
		const output: unknown = (await declared(settings, { outputs })).environment;
		expect(isOutput(output) && (await output.isSecret)).toBe(true);
		expect(await shown(output)).toEqual({ known: { A: "1" } });
	});
});

test("outside a preview every property is an output, also where the program left it out", async () => {
	const { cronExpression, paused, latestRun } = await declared(nightly, {
		preview: false,
	});
	for (const output of [cronExpression, paused, latestRun]) {
		expect(await shown(output)).toEqual({ known: undefined });
	}
});
