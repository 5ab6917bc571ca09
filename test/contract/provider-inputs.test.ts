import { describe, expect, it } from "vitest";
import type { Resource } from "../../bench/faults/rows/model/stack";
import { type Props, UNKNOWN } from "../../src/provider/handler";
import { Stack } from "../helpers/provider-harness";
import {
	freshStack,
	job,
	jobFile,
	named,
	schedule,
	stack,
	there,
	tuned,
	world,
} from "../helpers/provider-scene";

freshStack();

describe("what the provider makes of changed inputs", () => {
	it("the preview of a file's replacement shows what will be another, and nothing as removed", async () => {
		const file = (text: string) => [jobFile("f", { text, name: "f.txt" })];
		await stack.up(file("one"));
		const { inputs, outs } = stack.entry("f");
		/** As the engine does where the diff says "replace": with the old inputs, and then without. */
		const check = async (text: string, preview: boolean) => {
			const provider = world.process({ preview }).serve("JobFile");
			const news = { text, name: "f.txt", __urn: inputs.__urn, ...(preview && { __preview: true }) };
			const { inputs: first } = await provider.check(inputs, news);
			return { first, ...(await provider.check({}, news)) };
		};
		const shown = (await check("two", true)).inputs;
		expect(Object.keys(outs).filter((key) => !key.startsWith("__") && !(key in shown))).toEqual([]);
		expect(shown).toMatchObject({ fileId: UNKNOWN, filename: "f.txt", serviceUrl: outs.serviceUrl });
		expect((await check("two", true)).first).not.toHaveProperty("fileId");
		expect((await check("two", false)).inputs).not.toHaveProperty("fileId");
	});

	it("a pipeline that is not there comes with those that are", async () => {
		const says = 'pipelineName: team "ml" has no pipeline "p9". It has "p3", "p2", "p1".';
		const onP9 = { pipelineName: "p9" };
		for (const declared of [named("x", "x", onP9), tuned({ ...onP9, workers: 1 }, "x")])
			expect((await stack.up([declared])).failures).toEqual([`x: ${says}`]);
	});

	it("a schedule gets a name of its project, stack and resource where it declares none", async () => {
		const program = [schedule("nightly", { pipelineName: "p1" })];
		expect((await new Stack(world, "prod").up(program)).failures).toEqual([]);
		expect(there()).toMatchObject([{ name: "shop-prod-nightly" }]);
	});

	it("a cron that is removed replaces the schedule by one that runs once", async () => {
		const once = { startAfter: "2030-01-01T00:00:00Z" };
		await stack.up([named("a", "a", once)]);
		const before = stack.ids().a;
		const run = await stack.up([named("a", "a", { ...once, cronExpression: undefined })]);
		expect(run).toMatchObject({ steps: ["replace a"], failures: [] });
		expect(there()).toMatchObject([{ cronExpression: null }]);
		expect(stack.ids().a).not.toBe(before);
	});
});

describe("a placeholder of the state that a program declares as a value", () => {
	const PLACEHOLDER = "(set outside Pulumi)";
	const MASKED = "https://***@example.com/repo.git";
	const s = (inputs: Props) => tuned(inputs, "x");
	const reserved = (path: string) =>
		`x: ${path}: "(set outside Pulumi)" stands for a value that other users set, so it is never sent. Declare the value ` +
		`itself, leave ${path} out, or list it in ignoreChanges.`;
	const masked = (path: string) =>
		`x: ${path}: a URL with "://***@" stands for one with credentials that other users set, so it is never sent. Declare ` +
		`the whole URL as a secret, leave ${path} out, or list it in ignoreChanges.`;

	it.each<[string, Resource, string]>([
		["a schedule's name", named("x", PLACEHOLDER), reserved("scheduleName")],
		["a line of the requirements", s({ requirements: ["a", `git+${MASKED}`] }), masked("requirements.1")],
	])("is refused before anything is sent: %s", async (_, declared, reason) => {
		const { failures } = await stack.up([declared]);
		expect(failures[0]?.split("\n")[0]).toBe(reason.split("\n")[0]);
		expect(world.writes()).toEqual([]);
	});

	it("passes in the text of a query and of a file, which are never read back", async () => {
		const query = `print("${MASKED}") # ${PLACEHOLDER}`;
		const program = [job({ query }), jobFile("f", { text: query, name: "f.py" })];
		expect((await stack.up(program)).failures).toEqual([]);
	});
});
