import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
	getComputeCluster,
	getComputeClusters,
	getJobs,
	getPipeline,
	getPipelineOutput,
	getPipelines,
	getSchedule,
	getScheduleOutput,
	getSchedules,
	getSchedulesOutput,
} from "../../../src";
import { clearReplies } from "../../../src/lookups/lookup";
import { json, type RawServer, startRawServer, TOKEN } from "../../helpers/api-servers";
import type { Exchange } from "../../helpers/raw-server";
import { testFolder } from "../../helpers/test-folder";

let server: RawServer;

const SCHEDULES = [
	{ id: 1, schedule_name: "fine" },
	{ schedule_name: "without an id" },
];
let answer: unknown;
let reply: (exchange: Exchange) => void;

beforeEach(async () => {
	answer = SCHEDULES;
	reply = ({ response }) => json(response, 200, answer);
	server = await startRawServer((exchange) => reply(exchange));
});
afterEach(() => {
	vi.restoreAllMocks();
	pulumi.runtime.setAllConfig({});
});

const connection = () => ({
	connection: { baseUrl: server.url, token: TOKEN, teamName: "ml" },
});

test("a schedule that cannot be read is left out with a warning that names it", async () => {
	const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	const { schedules } = await getSchedules({}, connection());
	expect(schedules.map(({ id }) => id)).toEqual([1]);
	expect(warn).toHaveBeenCalledWith(expect.stringMatching(/left out .*without an id/));
});

test("an empty answer for a status that nobody knows comes with those that are known", async () => {
	const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	answer = [];
	await getPipelines({ status: ["PAUSED", "PAUSE"] }, connection());
	expect(warn).toHaveBeenLastCalledWith(
		'getPipelines found nothing, and "PAUSE" is no status that is known. Did you mean "PAUSED"? The known ones are PENDING, RUNNING, COMPLETED, FAILED, PAUSED, CANCELED.',
	);
	await getJobs({ status: "done" }, connection());
	expect(warn).toHaveBeenLastCalledWith(
		expect.stringMatching(
			/^getJobs found nothing, and "DONE" is no .* ACTIVE, INACTIVE\.$/,
		),
	);
	expect(warn).toHaveBeenCalledTimes(2);
	await getPipelines({ status: "paused" }, connection());
	await getJobs({ status: "inactive" }, connection());
	answer = [{ id: "1", status: "ODD" }];
	await getJobs({ status: "odd" }, connection());
	expect(warn).toHaveBeenCalledTimes(2);
});

test("a limit of less than one is refused with its value", async () => {
	await expect(getJobs({ limit: -1 }, connection())).rejects.toThrow(
		": limit must be 1 or more, not -1. Nothing was sent; correct the request.",
	);
});

test("an id that the service gives as a number is a text, as in every language", async () => {
	answer = [{ id: 7, name: "gpu" }];
	expect((await getComputeClusters({}, connection())).computeClusters).toEqual([
		{ id: "7", name: "gpu" },
	]);
	expect((await getComputeCluster({ id: 7 }, connection())).id).toBe("7");
	answer = [{ id: "1", status: "COMPLETE", compute_cluster_id: 7 }];
	expect((await getJobs({}, connection())).jobs).toMatchObject([
		{ computeClusterId: "7" },
	]);
});

/** What the SDK gives for an output of a resource. */
const registered = <T>(value: T) => {
	const resource = {
		__pulumiResource: true,
		__pulumiCustomResource: true,
		id: pulumi.output("2"),
	};
	return Object.assign(pulumi.output(value), {
		allResources: async () => new Set([resource]),
	});
};

const found = (output: pulumi.Output<unknown> | undefined) =>
	new Promise((resolve) => output?.apply(resolve));

test("a list that was read a moment ago is read again, once for all lookups, for a value that a resource gives", async () => {
	vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	await getSchedules({}, connection());
	answer = [{ id: 2, schedule_name: "new" }];
	const ask = () => {
		const output = getSchedulesOutput(
			{ scheduleName: registered("new") },
			connection(),
		);
		return found(
			output.apply(({ schedules }) =>
				schedules.map(({ scheduleName }) => scheduleName),
			),
		);
	};
	expect(await Promise.all([ask(), ask(), ask()])).toEqual([["new"], ["new"], ["new"]]);
	expect(server.requests.length).toBe(2);
});

test("a reply that comes late forgets no newer one", async () => {
	vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	const held: Exchange[] = [];
	reply = (exchange) => {
		if (held.push(exchange) > 1) json(exchange.response, 200, answer);
	};
	const late = getSchedules({}, connection());
	await vi.waitFor(() => expect(held).toHaveLength(1));
	clearReplies();
	await getSchedules({}, connection());
	const [first] = held;
	if (first !== undefined) json(first.response, 404, { message: "Not found" });
	await expect(late).rejects.toThrow("404");
	await getSchedules({}, connection());
	expect(held).toHaveLength(2);
});

const schedule = (args: object) => getScheduleOutput(args, connection()).scheduleName;
test.each([
	["a schedule by its name", () => schedule({ scheduleName: registered("new") })],
	["a schedule by its id", () => schedule({ scheduleId: registered(2) })],
	[
		"a pipeline",
		() => getPipelineOutput({ name: registered("new") }, connection()).name,
	],
])(
	"an object that the service does not show yet is waited for if a resource gives its name or id: %s",
	async (_, ask) => {
		const shownAt = performance.now() + 400;
		reply = ({ request, response }) => {
			const isShown = performance.now() >= shownAt;
			const one = { id: 2, schedule_name: "new", pipeline_id: "2", name: "new" };
			if (/schedules$|list$/.test(request.path))
				return json(response, 200, isShown ? [one] : []);
			return isShown
				? json(response, 200, one)
				: json(response, 404, { message: "Not found" });
		};
		expect(await found(ask())).toBe("new");
	},
);

test("times have the form of outputs, and what a job was given and what it reported stay as they are, whatever they are called", async () => {
	const own = { lookAt: "2026-01-31", nested: { startAfter: "2026-01-31 03:00" } };
	answer = [
		{
			id: "1",
			status: "COMPLETE",
			created_at: "2026-01-01T01:00:00+01:00",
			params: own,
			metrics: own,
		},
	];
	const { jobs } = await getJobs({}, connection());
	expect(jobs).toMatchObject([
		{ createdAt: "2026-01-01T00:00:00Z", params: own, metrics: own },
	]);
});

test("datachain:log logs lookups, too", async () => {
	vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	const file = join(testFolder("lookup-"), "requests.log");
	pulumi.runtime.setAllConfig({ "datachain:log": `debug:${file}` });
	await getSchedules({}, connection());
	expect(readFileSync(file, "utf8")).toMatch(/listSchedules GET .* status=200/);
});

describe("what a result shows of credentials", () => {
	const pipeline = {
		pipeline_id: "1",
		name: "images",
		repository: "https://bot:canary@git.example.com/r@main",
		requirements: "a==1\nb @ https://canary@pypi.example.com/b",
		error_message: "git clone https://bot:canary@git.example.com/r failed",
		error_stack: "RuntimeError: 401 for key canary",
		environment_variables: { KEY: "canary", EMPTY: "", UNSET: null },
	};
	const job = {
		id: "7",
		status: "FAILED",
		repository: pipeline.repository,
		error_message: "401 for key canary",
		error_stack: pipeline.error_stack,
		environment: { KEY: "canary" },
	};

	test.each([
		["a pipeline", pipeline, () => getPipeline({ name: "images" }, connection())],
		[
			"a schedule",
			{ ...SCHEDULES[0], pipeline, latest_run: pipeline },
			() => getSchedule({ scheduleId: 1 }, connection()),
		],
		["a job", [job], () => getJobs({}, connection())],
	])(
		"%s has neither values of its environment nor passwords, and nothing in it is an Output",
		async (_, reply, ask) => {
			answer = reply;
			const found = await ask();
			expect(JSON.stringify(found)).not.toContain("canary");
			expect(JSON.stringify(found)).toMatch(/"environmentNames":\["KEY"/);
			const isOutput = (value: unknown): boolean =>
				pulumi.Output.isInstance(value) ||
				(typeof value === "object" &&
					value !== null &&
					Object.values(value).some(isOutput));
			expect(isOutput(found)).toBe(false);
		},
	);

	test("URLs lose only their password", async () => {
		answer = pipeline;
		expect(await getPipeline({ name: "images" }, connection())).toMatchObject({
			repository: "https://git.example.com/r@main",
			requirements: "a==1\nb @ https://pypi.example.com/b",
			errorMessage: "git clone https://git.example.com/r failed",
			errorStack: "RuntimeError: 401 for key [redacted]",
			environmentNames: ["KEY", "EMPTY"],
		});
	});

	const images = { name: "images" };
	const withValues = { ...images, withEnvironment: true };
	const isSecret = (output: object | undefined) =>
		Reflect.get(output ?? {}, "isSecret");

	test("values are there on request, and secret", async () => {
		answer = pipeline;
		const { environmentVariables: values } = await getPipeline(
			withValues,
			connection(),
		);
		expect(await isSecret(values)).toBe(true);
		expect(await Reflect.get(values ?? {}, "promise").call(values)).toEqual({
			KEY: "canary",
			EMPTY: "",
		});
		answer = [job];
		const { jobs } = await getJobs({ withEnvironment: true }, connection());
		expect(await isSecret(jobs[0]?.environment)).toBe(true);
	});

	test("the Output form is secret only where values were asked for", async () => {
		answer = pipeline;
		expect(
			await isSecret(getPipelineOutput(images, connection()).environmentNames),
		).toBe(false);
		expect(
			await isSecret(getPipelineOutput(withValues, connection()).environmentVariables),
		).toBe(true);
	});
});

test("what is asked for is not in the error where the program keeps it secret", async () => {
	reply = ({ request, response }) => {
		const isList =
			request.path.endsWith("/schedules") || request.path.endsWith("/list");
		return json(
			response,
			isList ? 200 : 404,
			isList ? [] : { message: "canary-name is not there" },
		);
	};
	const failure = async (output: object) => {
		// An Output that fails does so in each of these.
		const all = ["promise", "isKnown", "isSecret", "allResources"].map((key) => {
			const value: unknown = Reflect.get(output, key);
			return typeof value === "function" ? value.call(output) : value;
		});
		const [result] = await Promise.allSettled(all);
		// As Pulumi prints it, with the cause.
		return result?.status === "rejected" ? inspect(result.reason) : "";
	};
	const schedule = (scheduleName: pulumi.Input<string>) =>
		getScheduleOutput({ scheduleName }, connection());
	expect(await failure(schedule("canary-name"))).toContain(
		'matches {"scheduleName":"canary-name"}',
	);
	expect(await failure(schedule(pulumi.secret("canary-name")))).toContain(
		'matches {"scheduleName":"[redacted]"}',
	);
	const pipeline = await failure(
		getPipelineOutput({ name: pulumi.secret("canary-name") }, connection()),
	);
	expect(pipeline).toContain('has no pipeline "[redacted]"');
	expect(pipeline).not.toContain("canary");
});

test("an object that is misspelled comes with the one that was meant", async () => {
	answer = [{ id: 1, schedule_name: "nightly", name: "default" }];
	await expect(getSchedule({ scheduleName: "nigthly" }, connection())).rejects.toThrow(
		'No schedule matches {"scheduleName":"nigthly"}. Did you mean "nightly"? There are "nightly"',
	);
	await expect(getComputeCluster({ name: "defualt" }, connection())).rejects.toThrow(
		'No compute cluster matches {"name":"defualt"}. Did you mean "default"? There are "default"',
	);
});
