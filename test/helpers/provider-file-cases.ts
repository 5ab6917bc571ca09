import { expect } from "vitest";
import { deployed, elsewhere, type Proofs, unchanged } from "./provider-case-list";
import type { Declared } from "./provider-engine";

const script: Declared[] = [{ kind: "JobFile", name: "script", inputs: { text: "print(1)", name: "a.py" } }];
const NO_READ =
	"Nothing in the API lists, reads or deletes a file, so no reply can speak of one that was uploaded.";

export const FILE_PROOFS: Proofs = {
	found: async (scene) => {
		await deployed(scene, script);
		await unchanged(scene, script);
	},
	changed: { notFor: NO_READ },
	gone: { notFor: NO_READ },
	proxy404: async (scene) => {
		await deployed(scene, script);
		scene.world.fault({ kind: "html", status: 404 });
		await unchanged(scene, script);
		expect((await scene.stack.destroy()).failures).toEqual([]);
	},
	lostReply: async (scene) => {
		scene.world.fault({ kind: "reset-after", endpoint: "uploadFile", times: 1 });
		expect((await scene.stack.up(script)).failures).toEqual([
			expect.stringMatching(/the connection was cut/),
		]);
		expect(scene.world.writes()).toEqual(["uploadFile"]);
		await deployed(scene, script);
	},
	lostDelete: { notFor: NO_READ },
	badGateway: async (scene) => {
		scene.world.fault({ kind: "status", status: 502, endpoint: "uploadFile", times: 1 });
		expect((await scene.stack.up(script)).failures).toEqual([
			expect.stringMatching(/502, the service failed/),
		]);
		expect(scene.world.writes()).toEqual(["uploadFile"]);
		await deployed(scene, script);
	},
	unreadable: async (scene) => {
		scene.world.fault({ kind: "truncated-json", endpoint: "uploadFile", times: 1 });
		expect((await scene.stack.up(script)).failures).toEqual([
			expect.stringMatching(/JSON is broken or cut off/),
		]);
		expect(scene.world.writes()).toEqual(["uploadFile"]);
		expect(scene.stack.entries.size).toBe(0);
	},
	owned: { notFor: "Each upload makes a file of its own: two resources can never mean the same one." },
	staleList: { notFor: NO_READ },
	lateEffect: { notFor: NO_READ },
	partialWrite: async (scene) => {
		scene.world.fault({ kind: "failed-upload", times: 1 });
		expect((await scene.stack.up(script)).failures).toEqual([
			expect.stringMatching(/The service could not store file "a\.py" in team "ml"/),
		]);
		expect(scene.stack.entries.size).toBe(0);
		await deployed(scene, script);
	},
	wrongService: async (scene) => {
		await deployed(scene, script);
		expect((await scene.stack.refresh({ env: await elsewhere() })).steps).toEqual(["read script"]);
		await unchanged(scene, script);
	},
	unauthorized: async (scene) => {
		scene.world.fault({ kind: "status", status: 403, endpoint: "uploadFile", times: 1 });
		expect((await scene.stack.up(script)).failures).toEqual([expect.stringMatching(/403, .*token/)]);
		await deployed(scene, script);
	},
};
