import { expect, it } from "vitest";
import { stepsOfUpdate } from "../../../src/provider/kinds/pipeline/steps";

type Update = Parameters<typeof stepsOfUpdate>;

it.each<[string, object, Update[1], Update[2], string[]]>([
	[
		"a start that was left and is still declared",
		{ start: true },
		[],
		["start"],
		["start"],
	],
	["a removal that was left", {}, [], ["removeJobs"], ["removeJobs"]],
	[
		"a start and its wait",
		{ start: true, wait: true },
		["start"],
		[],
		["start", "wait"],
	],
	["a start without a wait", { start: true }, ["start"], [], ["start"]],
	["no start that is no longer declared", {}, [], ["start"], []],
	["nothing where the start is taken back", {}, ["start"], [], []],
	[
		"a wait that was left and is still declared",
		{ start: true, wait: true },
		[],
		["wait"],
		["wait"],
	],
	["no wait that is no longer declared", { start: true }, [], ["wait"], []],
	[
		"no wait for what was started before",
		{ start: true, wait: true },
		["onDestroy"],
		[],
		[],
	],
])("an update of a pipeline does %s", (_, args, changed, pending, steps) => {
	expect(stepsOfUpdate(args as Update[0], changed, pending)).toEqual(steps);
});
