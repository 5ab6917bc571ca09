import { beforeEach, describe, expect, it } from "vitest";
import { settings } from "../helpers/provider-engine";
import { freshStack, named, stack, theirs, there, world } from "../helpers/provider-scene";

freshStack();

const program = [named("a", "a"), settings("s", { pipelineName: "p2", workers: 2, environment: { A: "1" } })];

/** The newest pipeline is listed first: p3, which no resource manages. */
const odd = async (set: Record<string, unknown>) => {
	await stack.up(program);
	world.fault({ kind: "rewrite", endpoint: "listPipelines", set });
};

describe("one odd pipeline in the team", () => {
	it.each([
		["a variable that is null", { "0.environment_variables": { X: null } }],
		["a count as a text", { "0.workers": "2" }],
	])("with %s does not keep the others from being read, deployed and deleted", async (_, set) => {
		await odd(set);
		expect([...(await stack.refresh()).steps].sort()).toEqual(["read a", "read s"]);
		const run = await stack.up(program);
		expect(run).toMatchObject({ steps: ["same a", "same s"], failures: [], notices: [] });
		expect((await stack.destroy()).failures).toEqual([]);
	});

	it("that cannot be read at all is left out and named, once in a run and without its values", async () => {
		await odd({ "0.environment_variables": "TOKEN=secret-of-theirs", "0.workers": [] });
		const { steps, notices } = await stack.refresh();
		expect([...steps].sort()).toEqual(["read a", "read s"]);
		expect(notices).toEqual([
			expect.stringMatching(
				/^The response to listPipelines has an element that was left out .*: id [\w-]+, .*environment_variables/,
			),
		]);
		expect(notices.join("")).not.toContain("secret-of-theirs");
	});
});

it("one odd schedule in the team is left out and named, and the others are read", async () => {
	theirs("odd");
	await stack.up(program);
	world.fault({ kind: "rewrite", endpoint: "listSchedules", set: { "0.created_at": 17 } });
	const { steps, notices } = await stack.refresh();
	expect([...steps].sort()).toEqual(["read a", "read s"]);
	expect(notices).toEqual([
		expect.stringMatching(/^The response to listSchedules has an element .*: id 1, created_at/),
	]);
});

it.each([
	["null", { set: { pipeline: null } }],
	["left out", { remove: ["pipeline"] }],
])(
	"a schedule whose reply does not show its pipeline but has it %s is made and changed, and has no drift",
	async (_, change) => {
		world.fault({ kind: "rewrite", endpoint: "getSchedule", ...change });
		const declared = (cronExpression: string) => [named("a", "a", { paused: false, cronExpression })];
		expect((await stack.up(declared("0 3 * * *"))).failures).toEqual([]);
		expect((await stack.up(declared("0 4 * * *"))).failures).toEqual([]);
		// No list has it, so that the schedule itself is asked for.
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });
		expect((await stack.refresh()).steps).toEqual(["read a"]);
		expect(stack.entry("a").inputs).toMatchObject({ pipelineName: "p1", paused: false });
	},
);

describe("the pipeline of a new schedule that the team's list does not have", () => {
	const declared = [named("a", "a")];
	const unlisted = () =>
		world.fault({ kind: "rewrite", endpoint: "listPipelines", set: { "*.name": "another" } });

	it.each([403, 404])("is not called missing where something else answers %d for it", async (status) => {
		unlisted();
		world.fault(
			status === 404
				? { kind: "html", status, endpoint: "pipelineStatus" }
				: { kind: "status", status, endpoint: "pipelineStatus" },
		);
		const { failures } = await stack.preview(declared);
		expect(failures).toEqual([expect.stringMatching(new RegExp(`^a: .*${status}`, "s"))]);
		expect(failures[0]).not.toMatch(/has no pipeline/);
	});
});

describe("a schedule that is gone, of which the service says so in another way", () => {
	beforeEach(() => stack.up([named("a", "a")]));

	describe.each([
		{ kind: "status", status: 400, message: "Invalid id." },
		{ kind: "status", status: 422, message: "Unprocessable." },
		{ kind: "html", status: 404 },
	] as const)("$kind $status", (fault) => {
		it("is deleted where the list does not have it either", async () => {
			world.fault({ ...fault, endpoint: "getSchedule" });
			expect((await stack.destroy()).failures).toEqual([]);
			expect(there()).toEqual([]);
		});

		it("is replaced", async () => {
			world.fault({ ...fault, endpoint: "getSchedule", times: 1 });
			expect((await stack.up([named("a", "a", { pipelineName: "p2" })])).failures).toEqual([]);
			expect(there()).toMatchObject([{ name: "a", pipelineName: "p2" }]);
		});

		it("is not taken for deleted while the list has it", async () => {
			world.fault({ ...fault, endpoint: "getSchedule" });
			world.fault({ kind: "html", status: 404, endpoint: "deleteSchedule" });
			expect((await stack.destroy()).failures).not.toEqual([]);
			expect(stack.ids()).toHaveProperty("a");
		});
	});

	it("leaves the state at the next refresh, by the words of a 400 and the list", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		world.fault({
			kind: "status",
			status: 400,
			message: "PipelineSchedule does not exist.",
			endpoint: "getSchedule",
		});
		expect((await stack.refresh()).steps).toEqual(["gone a"]);
	});

	it("stays in the state where a 400 says something else", async () => {
		world.colleague.deleteSchedule(Number(stack.ids().a));
		world.fault({ kind: "status", status: 400, message: "Invalid id.", endpoint: "getSchedule" });
		await expect(stack.refresh()).rejects.toThrow("Invalid id.");
		expect(stack.ids()).toHaveProperty("a");
	});
});
