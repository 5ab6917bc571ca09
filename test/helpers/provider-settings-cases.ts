import { expect } from "vitest";
import { deployed, type Proofs, type Scene, SECOND, unchanged } from "./provider-case-list";
import { settings } from "./provider-engine";
import { providerWorld } from "./provider-harness";

const tuned = [
	settings("tuned", { pipelineName: "p1", workers: 2, environment: { A: "1" }, onDestroy: "reset" }),
];
const live = ({ world }: Scene) => world.colleague.pipelines()[0]?.settings;
const asTuned = (scene: Scene) => expect(live(scene)).toMatchObject({ workers: 2, environment: { A: "1" } });

export const SETTINGS_PROOFS: Proofs = {
	found: async (scene) => {
		await deployed(scene, tuned);
		await unchanged(scene, tuned);
	},
	changed: async (scene) => {
		await deployed(scene, tuned);
		scene.world.colleague.setSettings({ pipeline_name: "p1", workers: 9, environment: "A=2" });
		await scene.stack.refresh();
		expect(scene.stack.entry("tuned").outs).toMatchObject({ workers: 9, environment: { A: "2" } });
		expect(await scene.stack.up(tuned)).toMatchObject({ steps: ["update tuned"], failures: [] });
		asTuned(scene);
	},
	gone: async (scene) => {
		await deployed(scene, tuned);
		const kept = scene.stack.entry("tuned");
		scene.world.server.removeTeam("ml");
		scene.world.server.addTeam("ml", { pipelines: ["other"] });
		expect((await scene.stack.refresh()).steps).toEqual(["gone tuned"]);
		scene.stack.entries.set("tuned", kept);
		expect((await scene.stack.destroy()).failures).toEqual([]);
	},
	proxy404: async (scene) => {
		await deployed(scene, tuned);
		// Not in the list either: only the form of the 404 tells that nobody knows.
		const heal = [
			scene.world.fault({ kind: "html", status: 404, endpoint: "pipelineStatus" }),
			scene.world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listPipelines" }),
		];
		await expect(scene.stack.refresh()).rejects.toThrow(
			/not in the service's own form, so it may come from a proxy/,
		);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		for (const undo of heal) undo();
		await unchanged(scene, tuned);
	},
	lostReply: async (scene) => {
		scene.world.fault({ kind: "reset-after", endpoint: "updateSettings", times: 1 });
		await deployed(scene, tuned);
		asTuned(scene);
	},
	lostDelete: async (scene) => {
		await deployed(scene, tuned);
		scene.world.fault({ kind: "reset-after", endpoint: "updateSettings", times: 1 });
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(live(scene)).toMatchObject({ workers: 1, environment: {} });
	},
	badGateway: async (scene) => {
		const heal = scene.world.fault({ kind: "status", status: 502, endpoint: "updateSettings" });
		expect((await scene.stack.up(tuned)).failures).toEqual([
			expect.stringMatching(/502, the service failed/),
		]);
		heal();
		expect(await scene.stack.up(tuned)).toMatchObject({ steps: ["update tuned"], failures: [] });
		asTuned(scene);
	},
	unreadable: async (scene) => {
		scene.world.fault({ kind: "truncated-json", endpoint: "updateSettings", times: 1 });
		await deployed(scene, tuned);
		asTuned(scene);
	},
	owned: async (scene) => {
		await deployed(scene, tuned);
		const moved = tuned.map((one) => ({ ...one, name: "other" }));
		const { failures, notices } = await scene.stack.up(moved, { adoptEqual: true });
		expect(failures).toEqual([]);
		expect(notices.join("\n")).toMatch(/stay as they are: resource "other" of this program manages them now/);
		asTuned(scene);
	},
	staleList: async (scene) => {
		scene.world.fault({ kind: "stale-list", ms: 15 * SECOND });
		await deployed(scene, tuned);
		asTuned(scene);
		scene.world.server.clock.advance(15 * SECOND);
		await unchanged(scene, tuned);
	},
	lateEffect: async (scene) => {
		scene.world.fault({ kind: "late-effect", ms: 5 * SECOND });
		await deployed(scene, tuned);
		asTuned(scene);
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(live(scene)).toMatchObject({ workers: 1, environment: {} });
	},
	partialWrite: async (scene) => {
		const heal = scene.world.fault({ kind: "rewrite", endpoint: "pipelineStatus", set: { workers: 9 } });
		const { failures } = await scene.stack.up(tuned, { adoptEqual: true });
		heal();
		expect(failures).toEqual([expect.stringMatching(/workers is 9 there and 2 here/)]);
		await deployed(scene, tuned);
		asTuned(scene);
	},
	wrongService: async (scene) => {
		await deployed(scene, [settings("tuned", { ...tuned[0]?.inputs, pipelineName: "p1" })]);
		const { server } = await providerWorld();
		server.removeTeam("ml");
		server.addTeam("ml", { pipelines: ["other"] });
		const { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN } = server.environment;
		const env = { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN };
		const message = /it was deployed to http.* and the connection now points to http.*Nothing was changed/;
		await expect(scene.stack.refresh({ env })).rejects.toThrow(message);
		expect((await scene.stack.destroy(undefined, { env })).failures).toEqual([
			expect.stringMatching(message),
		]);
		await unchanged(scene, tuned);
	},
	unauthorized: async (scene) => {
		const heal = scene.world.fault({ kind: "status", status: 403, endpoint: "updateSettings" });
		expect((await scene.stack.up(tuned)).failures).toEqual([expect.stringMatching(/403, .*token/)]);
		expect(live(scene)).toMatchObject({ workers: null, environment: {} });
		heal();
		await deployed(scene, tuned);
	},
};
