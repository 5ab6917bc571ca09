import { expect } from "vitest";
import { deployed, elsewhere, type Proofs, type Scene, SECOND, unchanged } from "./provider-case-list";
import type { Declared } from "./provider-engine";

const images: Declared[] = [{ kind: "Pipeline", name: "images", inputs: { datasets: ["dev.images.clean"] } }];
/** Pipelines of the declared datasets, as they are. */
const made = ({ world }: Scene) =>
	world.colleague.pipelines().filter(({ triggeredFrom }) => triggeredFrom === "dev.images.clean@1.0.0");
/** There is one pipeline, it is the one in the state, and nothing of it runs. */
const onePipeline = (scene: Scene): void => {
	expect(made(scene).map(({ id }) => id)).toEqual(Object.values(scene.stack.ids()));
	expect(made(scene)).toMatchObject([{ paused: true }]);
	expect(scene.world.colleague.jobs().map(({ status }) => status)).toEqual(["PENDING", "PENDING"]);
};

export const PIPELINE_PROOFS: Proofs = {
	found: async (scene) => {
		await deployed(scene, images);
		onePipeline(scene);
		await unchanged(scene, images);
	},
	changed: {
		notFor:
			"No request changes what a pipeline is made from; its settings and its pause belong to other resources.",
	},
	gone: async (scene) => {
		await deployed(scene, images);
		const kept = scene.stack.entry("images");
		scene.world.colleague.forgetPipeline(String(kept.outs.name));
		expect((await scene.stack.refresh()).steps).toEqual(["gone images"]);
		scene.stack.entries.set("images", kept);
		expect((await scene.stack.destroy()).failures).toEqual([]);
	},
	proxy404: async (scene) => {
		await deployed(scene, images);
		const heal = [
			scene.world.fault({ kind: "html", status: 404, endpoint: "pipelineStatus" }),
			scene.world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listPipelines" }),
		];
		await expect(scene.stack.refresh()).rejects.toThrow(/so it may come from a proxy/);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		for (const undo of heal) undo();
		await unchanged(scene, images);
	},
	lostReply: async (scene) => {
		scene.world.fault({ kind: "reset-after", endpoint: "triggerPipeline", times: 1 });
		await deployed(scene, images);
		onePipeline(scene);
		await unchanged(scene, images);
	},
	lostDelete: async (scene) => {
		await deployed(scene, images);
		scene.world.colleague.resume(String(scene.stack.entry("images").outs.name));
		scene.world.fault({ kind: "reset-after", endpoint: "pausePipeline", times: 1 });
		const { failures, notices } = await scene.stack.destroy();
		expect(failures).toEqual([]);
		expect(notices).toEqual([expect.stringMatching(/was paused and stays there/)]);
		expect(made(scene)).toMatchObject([{ paused: true }]);
	},
	badGateway: async (scene) => {
		scene.world.fault({ kind: "status", status: 502, endpoint: "triggerPipeline", times: 1 });
		expect((await scene.stack.up(images)).failures).toEqual([
			expect.stringMatching(
				/Could not tell whether a pipeline was triggered from dev\.images\.clean in team "ml"/,
			),
		]);
		expect(scene.world.writes()).toEqual(["triggerPipeline"]);
		await deployed(scene, images);
		onePipeline(scene);
	},
	unreadable: async (scene) => {
		scene.world.fault({ kind: "truncated-json", endpoint: "triggerPipeline", times: 1 });
		await deployed(scene, images);
		onePipeline(scene);
	},
	owned: async (scene) => {
		// Both replies are lost: each resource must find a pipeline of its own.
		const two = [...images, { ...images[0], name: "again" } as Declared];
		scene.world.fault({ kind: "reset-after", endpoint: "triggerPipeline", times: 2 });
		await deployed(scene, two);
		const ids = Object.values(scene.stack.ids());
		expect(new Set(ids).size).toBe(2);
		expect(
			made(scene)
				.map(({ id }) => id)
				.sort(),
		).toEqual([...ids].sort());
	},
	staleList: async (scene) => {
		scene.world.fault({ kind: "stale-list", ms: 15 * SECOND });
		await deployed(scene, images);
		onePipeline(scene);
		await unchanged(scene, images);
	},
	lateEffect: async (scene) => {
		scene.world.fault({ kind: "late-effect", ms: 5 * SECOND });
		await deployed(scene, images);
		onePipeline(scene);
		scene.world.colleague.resume(String(scene.stack.entry("images").outs.name));
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(made(scene)).toMatchObject([{ paused: true }]);
	},
	partialWrite: async (scene) => {
		const heal = scene.world.fault({
			kind: "rewrite",
			endpoint: "pipelineStatus",
			set: { status: "RUNNING" },
		});
		const { failures } = await scene.stack.up(images);
		expect(failures).toEqual([expect.stringMatching(/is paused, but shows it as RUNNING/)]);
		expect(scene.stack.entry("images").outs.pending).toEqual(["stayPaused"]);
		heal();
		expect(await scene.stack.up(images)).toMatchObject({ steps: ["update images"], failures: [] });
		onePipeline(scene);
		await unchanged(scene, images);
	},
	wrongService: async (scene) => {
		await deployed(scene, images);
		const env = await elsewhere();
		const message = /it was deployed to http.* and the connection now points to http.*Nothing was changed/;
		await expect(scene.stack.refresh({ env })).rejects.toThrow(message);
		expect((await scene.stack.destroy(undefined, { env })).failures).toEqual([
			expect.stringMatching(message),
		]);
		await unchanged(scene, images);
	},
	unauthorized: async (scene) => {
		const heal = scene.world.fault({ kind: "status", status: 403, endpoint: "triggerPipeline" });
		expect((await scene.stack.up(images)).failures).toEqual([expect.stringMatching(/403, .*token/)]);
		expect(made(scene)).toEqual([]);
		heal();
		await deployed(scene, images);
	},
};
