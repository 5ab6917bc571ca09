import * as pulumi from "@pulumi/pulumi";
import { expect, test } from "vitest";
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
		const refusal = (form: string) => new TypeError(`${form} does not know "colour". It knows ${keys}.`);
		await expect(ask(name, { colour: "a" })).rejects.toThrow(refusal(name));
		// At once in its Output form, also if the value is not known yet.
		expect(() => ask(`${name}Output`, { colour: pulumi.output(1) })).toThrow(refusal(`${name}Output`));
	},
);

test("a misspelled filter is answered with the one that was meant", async () => {
	await expect(ask("getPipeline", { nmae: "a" })).rejects.toThrow(
		'getPipeline does not know "nmae". Did you mean "name"? It knows name, withEnvironment.',
	);
	expect(() => ask("getSchedulesOutput", { schedule_name: "a" })).toThrow('Did you mean "scheduleName"?');
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
	expect(() => ask("getJobsOutput", {}, { connection: { team: "ml" } })).toThrow(/does not know "team"/);
});

test("getSchedule takes an id or a name, and not both", async () => {
	await expect(ask("getSchedule", { scheduleId: 1, scheduleName: "nightly" })).rejects.toThrow(
		"a scheduleId or a scheduleName, and not both",
	);
});

test.each([[undefined], [null], [{}], [{ name: "" }]])("getPipeline(%j) asks for the name", async (args) => {
	await expect(ask("getPipeline", args)).rejects.toThrow("getPipeline needs the name of a pipeline");
});
