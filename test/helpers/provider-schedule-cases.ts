import { expect } from "vitest";
import { deployed, elsewhere, type Proofs, type Scene, SECOND, unchanged } from "./provider-case-list";
import { schedule } from "./provider-engine";

const nightly = [schedule("nightly", { scheduleName: "nightly", pipelineName: "p1" })];
const schedules = ({ world }: Scene) => world.colleague.schedules();
/** There is one schedule, and it is the one in the state. */
const oneSchedule = (scene: Scene): void => {
	expect(schedules(scene).map(({ id }) => String(id))).toEqual(Object.values(scene.stack.ids()));
	expect(schedules(scene)).toHaveLength(1);
};

export const SCHEDULE_PROOFS: Proofs = {
	found: async (scene) => {
		await deployed(scene, nightly);
		await unchanged(scene, nightly);
	},
	changed: async (scene) => {
		await deployed(scene, nightly);
		const [there] = schedules(scene);
		scene.world.colleague.updateSchedule({ schedule_id: there?.id ?? 0, cron_expression: "0 9 * * *" });
		await scene.stack.refresh();
		expect(scene.stack.entry("nightly").outs.cronExpression).toBe("0 9 * * *");
		expect(await scene.stack.up(nightly)).toMatchObject({ steps: ["update nightly"], failures: [] });
		expect(schedules(scene)).toMatchObject([{ id: there?.id, cronExpression: "0 3 * * *" }]);
	},
	gone: async (scene) => {
		await deployed(scene, nightly);
		const kept = scene.stack.entry("nightly");
		scene.world.colleague.deleteSchedule(Number(kept.id));
		expect((await scene.stack.refresh()).steps).toEqual(["gone nightly"]);
		scene.stack.entries.set("nightly", kept);
		expect((await scene.stack.destroy()).failures).toEqual([]);
	},
	proxy404: async (scene) => {
		await deployed(scene, nightly);
		// Not in the list either: only the form of the 404 tells that nobody knows.
		const heal = [
			scene.world.fault({ kind: "html", status: 404, endpoint: "getSchedule" }),
			scene.world.fault({ kind: "capped-list", limit: 0, which: "newest", endpoint: "listSchedules" }),
		];
		await expect(scene.stack.refresh()).rejects.toThrow(
			/not in the service's own form, so it may come from a proxy/,
		);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		for (const undo of heal) undo();
		await unchanged(scene, nightly);
	},
	lostReply: async (scene) => {
		scene.world.fault({ kind: "reset-after", endpoint: "createSchedule", times: 1 });
		await deployed(scene, nightly);
		oneSchedule(scene);
	},
	lostDelete: async (scene) => {
		await deployed(scene, nightly);
		scene.world.fault({ kind: "reset-after", endpoint: "deleteSchedule", times: 1 });
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(schedules(scene)).toEqual([]);
	},
	badGateway: async (scene) => {
		scene.world.fault({ kind: "status", status: 502, endpoint: "createSchedule", times: 1 });
		expect((await scene.stack.up(nightly)).failures).toEqual([
			expect.stringMatching(/Could not tell whether schedule "nightly" was created in team "ml"/),
		]);
		expect(scene.world.writes()).toEqual(["createSchedule"]);
		await deployed(scene, nightly);
		oneSchedule(scene);
	},
	unreadable: async (scene) => {
		scene.world.fault({ kind: "truncated-json", endpoint: "createSchedule", times: 1 });
		await deployed(scene, nightly);
		oneSchedule(scene);
	},
	owned: async (scene) => {
		await deployed(scene, nightly);
		const moved = [schedule("other", { scheduleName: "nightly", pipelineName: "p1" })];
		const { failures, notices } = await scene.stack.up(moved, { adoptEqual: true });
		expect(failures).toEqual([]);
		expect(notices.join("\n")).toMatch(/was not deleted: resource "other" of this program manages it now/);
		oneSchedule(scene);
	},
	staleList: async (scene) => {
		scene.world.fault({ kind: "stale-list", ms: 15 * SECOND });
		await deployed(scene, nightly);
		await unchanged(scene, nightly);
		oneSchedule(scene);
	},
	lateEffect: async (scene) => {
		scene.world.fault({ kind: "late-effect", ms: 5 * SECOND });
		await deployed(scene, nightly);
		oneSchedule(scene);
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(schedules(scene)).toEqual([]);
	},
	partialWrite: async (scene) => {
		const heal = scene.world.fault({
			kind: "rewrite",
			endpoint: "getSchedule",
			set: { cron_expression: "0 9 * * *" },
		});
		const { failures } = await scene.stack.up(nightly);
		expect(failures).toEqual([
			expect.stringMatching(/cronExpression is "0 9 \* \* \*" there and "0 3 \* \* \*" here/),
		]);
		oneSchedule(scene);
		heal();
		expect(await scene.stack.up(nightly)).toMatchObject({ steps: ["update nightly"], failures: [] });
		oneSchedule(scene);
	},
	wrongService: async (scene) => {
		await deployed(scene, nightly);
		const env = await elsewhere();
		const message = /it was deployed to http.* and the connection now points to http.*Nothing was changed/;
		await expect(scene.stack.refresh({ env })).rejects.toThrow(message);
		expect((await scene.stack.destroy(undefined, { env })).failures).toEqual([
			expect.stringMatching(message),
		]);
		await unchanged(scene, nightly);
	},
	unauthorized: async (scene) => {
		const heal = scene.world.fault({ kind: "status", status: 403, endpoint: "createSchedule" });
		expect((await scene.stack.up(nightly)).failures).toEqual([expect.stringMatching(/403, .*token/)]);
		expect(schedules(scene)).toEqual([]);
		heal();
		await deployed(scene, nightly);
	},
};
