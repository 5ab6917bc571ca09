import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import * as lookups from "../../../src";

/** As a program in JavaScript may call it. */
const ask = (name: string, ...args: unknown[]): unknown =>
	Reflect.apply(Reflect.get(lookups, name), undefined, args);

const KEYS = {
	getSchedules: "scheduleName, createdBy",
	getSchedule: "scheduleId, scheduleName, withEnvironment",
	getPipelines: "status, search, limit, withEnvironment",
	getPipeline: "name, withEnvironment",
	getJobs: "status, jobId, limit, withEnvironment",
	getComputeClusters: "name, status, isActive, cloudProvider",
	getComputeCluster: "id, name, default, status, isActive, cloudProvider",
};

test.each(Object.entries(KEYS))(
	"%s refuses an unknown filter, and lists the known ones",
	async (name, keys) => {
		const refusal = (form: string) =>
			new TypeError(`${form} does not know "colour". It knows ${keys}.`);
		await expect(ask(name, { colour: "a" })).rejects.toThrow(refusal(name));
		// At once in its Output form, also if the value is not known yet.
		expect(() => ask(`${name}Output`, { colour: pulumi.output(1) })).toThrow(
			refusal(`${name}Output`),
		);
	},
);

test("a misspelled filter is answered with the one that was meant", async () => {
	await expect(ask("getPipeline", { nmae: "a" })).rejects.toThrow(
		'getPipeline does not know "nmae". Did you mean "name"? It knows name, withEnvironment.',
	);
	expect(() => ask("getSchedulesOutput", { schedule_name: "a" })).toThrow(
		'Did you mean "scheduleName"?',
	);
});

test("a name alone is answered with the form of the arguments", async () => {
	const says = (form: string) =>
		new TypeError(
			`${form} takes an object of filters, not a string. It knows name, withEnvironment.`,
		);
	await expect(ask("getPipeline", "nightly")).rejects.toThrow(says("getPipeline"));
	expect(() => ask("getPipelineOutput", "nightly")).toThrow(says("getPipelineOutput"));
});

test("a connection setting among the filters is answered with where it belongs", async () => {
	await expect(ask("getSchedules", { teamName: "ml" })).rejects.toThrow(
		/does not know "teamName".*the connection option of the lookup, or use a provider/,
	);
});

test("misspelled connection settings are refused", async () => {
	await expect(ask("getJobs", {}, { teamName: "ml" })).rejects.toThrow(
		'The second argument of getJobs does not know "teamName". It knows connection.',
	);
	// The last two name themselves, and not the list that they read.
	for (const name of ["getJobs", "getSchedule", "getComputeCluster"])
		await expect(ask(name, null, { connection: { team: "ml" } })).rejects.toThrow(
			`The connection of ${name} does not know "team". It knows baseUrl, token, teamName.`,
		);
	expect(() => ask("getJobsOutput", {}, { connection: { team: "ml" } })).toThrow(
		/does not know "team"/,
	);
});

describe("an Output in a string", () => {
	const text = `x-${pulumi.output("7")}`;
	const inText = /: an Output was used as a string, .* pulumi\.interpolate/;

	test.each(Object.entries(KEYS))(
		"is refused in every argument of %s, whose name is told",
		async (name, keys) => {
			for (const key of keys.split(", ")) {
				const says = `${key}${inText.source}`;
				await expect(ask(name, { [key]: text })).rejects.toThrow(
					new RegExp(`^${name}: ${says}`),
				);
				expect(() => ask(`${name}Output`, { [key]: text })).toThrow(
					new RegExp(`^${name}Output: ${says}`),
				);
			}
		},
	);

	test("is refused in a list, in what comes later, and in the connection", async () => {
		await expect(ask("getPipelines", { status: ["PAUSED", text] })).rejects.toThrow(
			/^getPipelines: status\.1: an/,
		);
		for (const key of ["baseUrl", "token", "teamName"])
			await expect(ask("getJobs", {}, { connection: { [key]: text } })).rejects.toThrow(
				new RegExp(`^getJobs: connection\\.${key}${inText.source}`),
			);
	});

	test("is not looked for in an Output itself", () => {
		const later = pulumi
			.output({ name: text })
			.apply(() => new Promise<string>(() => {}));
		expect(() => ask("getPipelineOutput", { name: later })).not.toThrow();
	});
});

test("the Output form also takes a provider, in place of a connection", () => {
	const jobsWith = (options: object) => () => ask("getJobsOutput", {}, options);
	expect(jobsWith({ teamName: "ml" })).toThrow("It knows connection, provider.");
	expect(jobsWith({ provider: {}, connection: {} })).toThrow(
		"getJobsOutput takes a connection or a provider, and not both",
	);
});

test("getSchedule takes an id or a name, and not both", async () => {
	await expect(
		ask("getSchedule", { scheduleId: 1, scheduleName: "nightly" }),
	).rejects.toThrow("a scheduleId or a scheduleName, and not both");
});

test.each([[undefined], [null], [{}], [{ name: "" }]])(
	"getPipeline(%j) asks for the name",
	async (args) => {
		await expect(ask("getPipeline", args)).rejects.toThrow(
			"getPipeline needs the name of a pipeline",
		);
	},
);
