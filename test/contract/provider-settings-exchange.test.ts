import { expect, it } from "vitest";
import { freshStack, pipelineThere, stack, tuned } from "../helpers/provider-scene";
import type { Resource } from "../model/stack";

freshStack();

const on = (pipelineName: string, workers: number, name: string): Resource =>
	tuned({ pipelineName, workers, onDestroy: "reset" }, name);
const workers = () => ["p1", "p2"].map((name) => pipelineThere(name).settings.workers);

/** One run without a refusal; the next one has nothing to do. */
async function settles(program: readonly Resource[]): Promise<void> {
	expect((await stack.up(program)).failures).toEqual([]);
	expect((await stack.up(program)).steps).toEqual(
		program.map(({ name }) => `same ${name}`),
	);
}

it.each([
	["before", ["old", "new"]],
	["after", ["new", "old"]],
])(
	"settings that move to another pipeline leave theirs to a new resource, whose turn comes %s",
	async (_, order) => {
		await settles([on("p1", 2, "old")]);
		const program = [on("p2", 2, "old"), on("p1", 3, "new")];
		await settles(
			order.flatMap((name) => program.filter((resource) => resource.name === name)),
		);
		expect(workers()).toEqual([3, 2]);
	},
);

it("settings of two resources exchange their pipelines in one run", async () => {
	await settles([on("p1", 2, "a"), on("p2", 3, "b")]);
	await settles([on("p2", 2, "a"), on("p1", 3, "b")]);
	expect(workers()).toEqual([3, 2]);
});

it("settings that move are reset on the pipeline that nobody takes", async () => {
	await settles([on("p1", 2, "a")]);
	await settles([on("p2", 2, "a")]);
	expect(workers()).toEqual([1, 2]);
});
