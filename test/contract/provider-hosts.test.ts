import { describe, expect, it, onTestFinished } from "vitest";
import { type Host, urnOf } from "../../bench/faults/process";
import type { Program, Resource } from "../../bench/faults/rows/model/stack";
import { tempFolder } from "../../tools/process/temp-folder";
import { pipeline, type RunOptions } from "../helpers/provider-engine";
import { checked, created } from "../helpers/provider-harness";
import {
	freshStack,
	HOLD,
	triggered as made,
	named,
	placed,
	job as run,
	stack,
	there,
	world,
} from "../helpers/provider-scene";

let shared: string;
let runs = 0;
freshStack(() => {
	const folder = tempFolder("hosts-");
	shared = folder.path;
	onTestFinished(folder.remove);
});

/** One engine run, whose provider processes share a folder. */
const up = (program: Program, options: RunOptions = {}) => {
	runs += 1;
	return stack.up(program, { engine: `127.0.0.1:${runs}`, tempFolder: shared, ...options });
};

const on = (host: Host, name: string, inputs: object = {}, more: Partial<Resource> = {}) =>
	named(name, "a", inputs, { host, ...more });
const built = (host: Host, name: string): Resource => ({ ...pipeline({ start: true }, name), host });
const job = (host: Host, name: string, more: Partial<Resource> = {}): Resource => ({
	...run({ query: HOLD, name: "train.py" }, name),
	host,
	...more,
});
const jobs = () => Object.fromEntries(world.colleague.jobs().map(({ id, status }) => [id, status]));
const names = () => there().map(({ name, id }) => [name, String(id)]);

it.each<[Host, Host]>([
	["dynamic", "plugin"],
	["plugin", "dynamic"],
])("a job that a resource of the %s host adopted is left alone by that of the %s", async (from, to) => {
	await up([job(from, "train")]);
	const old = stack.entry("train");
	const outs = { ...old.outs, __urn: urnOf("Job", "other") };
	stack.entries = [{ ...old, name: "other", host: to, outs }];
	const both = [job(from, "train"), job(to, "other", { dependsOn: ["train"] })];
	const { failures, steps, notices } = await up(both, { adoptEqual: true });
	expect([failures, steps]).toEqual([[], ["create train", "replace other"]]);
	expect(stack.ids().train).toBe(old.id);
	expect(jobs()[old.id]).not.toMatch(/^CANCEL/);
	expect(notices.join("\n")).toMatch(
		/^Job "train\.py" .* was not changed: resource "train" of this program/m,
	);
});

it("a pipeline that one host adopts before the other, which created it, could claim it is the adopter's only", async () => {
	const options = { engine: "127.0.0.1:1", tempFolder: shared, adoptEqual: true };
	const [one, two] = [world.process(options), world.process({ ...options, host: "plugin" })];
	const [a, b] = [built("dynamic", "A"), built("plugin", "B")];
	const inputs = await checked(one, a, a.args);
	world.fault({ kind: "delay", ms: 500, endpoint: "pipelineStatus", times: 1 });
	const making = created(one, a, inputs);
	making.catch(() => undefined);
	while (made().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	const adopted = await created(two, b, await checked(two, b, b.args));
	await expect(making).rejects.toThrow(/^Pipeline ".*" .* at once adopted by resource "B"/);
	expect(made().map(({ id }) => id)).toEqual([adopted.id]);
});

it("a name is declared in one host only, in whatever form", async () => {
	const twice = 'both declare schedule "A" in team "ml"';
	const program = [on("dynamic", "A"), on("plugin", "B", { scheduleName: "A", adopt: true })];
	expect((await up(program)).failures).toEqual([expect.stringContaining(`"B" and "A" ${twice}`)]);
	expect(names()).toHaveLength(1);
	await up([on("dynamic", "A")]);
	expect((await up(program)).failures).toEqual([expect.stringContaining(twice)]);
	expect(placed()).toEqual(["a on p1"]);
});

describe("an object that one host has", () => {
	it("and that is a pipeline is replaced in the state of another host that comes later", async () => {
		await up([built("dynamic", "A")]);
		const { id } = stack.entry("A");
		const program = [built("plugin", "B"), { ...built("dynamic", "A"), dependsOn: ["B"] }];
		const { failures, steps } = await up(program, { adoptEqual: true });
		expect([failures, steps]).toEqual([[], ["create B", "replace A"]]);
		expect(stack.ids().B).toBe(id);
		expect(made()).toHaveLength(2);
		expect(made().every(({ paused }) => !paused)).toBe(true);
	});

	it("is replaced in the state of another host that comes later", async () => {
		await up([on("dynamic", "A", { scheduleName: "a" })]);
		const [[, id] = []] = names();
		const program = [
			on("plugin", "B", { scheduleName: "a", adopt: true }),
			on("dynamic", "A", { scheduleName: "c" }, { dependsOn: ["B"] }),
		];
		const { failures, steps, notices } = await up(program);
		expect([failures, steps]).toEqual([[], ["create B", "replace A"]]);
		expect(notices).toContain(
			`Schedule "a" (id ${id}) in team "ml" was not deleted: resource "B" of this program manages it now.`,
		);
		expect(stack.ids().B).toBe(id);
		expect(names().sort()).toEqual([
			["a", id],
			["c", stack.ids().A],
		]);
	});

	it("has one owner if it is adopted while that host replaces it", async () => {
		await up([on("dynamic", "A")]);
		const before = names();
		const { failures } = await up([
			on("plugin", "B", { adopt: true }),
			on("dynamic", "A", { scheduleName: "c", pipelineName: "p2" }),
		]);
		// B may come first, with consent; then A leaves the schedule to it.
		expect(failures).toEqual([]);
		expect(placed()).toEqual(["a on p1", "c on p2"]);
		expect(new Set(Object.values(stack.ids())).size).toBe(2);
		expect(names()).toEqual(expect.arrayContaining(before));
	});

	it.each([
		["gives its name up by a rename, for which the other host waits", false, ["a on p1", "c on p1"]],
		["gets no duplicate if its rename fails in the other host", true, ["a on p1"]],
	])("%s", async (_, isRefused, left) => {
		await up([on("dynamic", "A")]);
		if (isRefused) world.fault({ kind: "status", status: 403, endpoint: "updateSchedule" });
		const { failures } = await up([
			on("plugin", "B", { scheduleName: "a" }),
			on("dynamic", "A", { scheduleName: "c" }),
		]);
		expect(failures).toHaveLength(isRefused ? 2 : 0);
		expect(placed()).toEqual(left);
		if (!isRefused) expect(stack.ids().A).not.toBe(stack.ids().B);
	});

	it("exchanges its name with that of another host in two deployments, and by none that leaves two of one name", async () => {
		const both = (first: string, second: string) => [
			on("dynamic", "A", { scheduleName: first }),
			on("plugin", "B", { scheduleName: second, cronExpression: "30 4 * * *" }),
		];
		await up(both("a", "b"));
		const before = stack.ids();
		const { failures } = await up(both("b", "a"));
		expect(failures.join("\n")).toContain("deploy one of them under a third name first");
		expect(placed()).toEqual(["a on p1", "b on p1"]);
		expect((await up(both("c", "a"))).failures).toEqual([]);
		expect((await up(both("b", "a"))).failures).toEqual([]);
		expect(stack.ids()).toEqual(before);
		expect(names().sort()).toEqual([
			["a", before.B],
			["b", before.A],
		]);
	});
});
