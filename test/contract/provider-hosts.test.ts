import { expect, it } from "vitest";
import type { Host, Program } from "../../bench/faults/rows/model/stack";
import { freshStack, named, placed, stack } from "../helpers/provider-scene";
import { testFolder } from "../helpers/test-folder";

let shared: string;
let runs = 0;
freshStack(() => {
	shared = testFolder("hosts-");
});

/** One engine run, whose provider processes share a folder. */
const up = (program: Program) => {
	runs += 1;
	return stack.up(program, { engine: `127.0.0.1:${runs}`, tempFolder: shared });
};

const on = (host: Host, name: string, scheduleName: string, inputs: object = {}) =>
	named(name, scheduleName, inputs, { host });

it("schedules of two hosts exchange names in two deployments, and by none that leaves two of one name", async () => {
	const both = (first: string, second: string) => [
		on("dynamic", "A", first),
		on("plugin", "B", second, { cronExpression: "30 4 * * *" }),
	];
	await up(both("a", "b"));
	const before = stack.ids();
	const { failures } = await up(both("b", "a"));
	expect(failures.join("\n")).toContain("deploy one of them under a third name first");
	expect(placed()).toEqual(["a on p1", "b on p1"]);
	expect((await up(both("c", "a"))).failures).toEqual([]);
	expect((await up(both("b", "a"))).failures).toEqual([]);
	expect(stack.ids()).toEqual(before);
	expect(placed()).toEqual(["a on p1", "b on p1"]);
});
