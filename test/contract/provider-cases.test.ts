import { describe, expect, it } from "vitest";
import { KINDS, type Kind } from "../../src/schemas/kinds";
import { type Declared, Stack, schedule, settings } from "../helpers/provider-engine";
import { providerWorld, type World } from "../helpers/provider-harness";

/** What every resource kind must stand. */
const CASES = {
	found: "a refresh finds the object as it was left, and nothing changes",
	changed: "a refresh shows what somebody changed, and the next deployment puts it right",
	gone: "an object that the service says is gone leaves the state, and deleting it succeeds",
	proxy404: "a 404 that is not the service's own keeps the state",
	lostReply: "a create whose reply is lost makes one object and knows it",
	lostDelete: "a delete whose reply is lost succeeds",
	badGateway: "a 502 in place of a create makes no second object, now or later",
	unreadable: "a reply that breaks off is no success and makes no second object",
	owned: "what another resource of the program holds is neither taken nor deleted",
	staleList: "a list that lags behind leads to nothing twice and nothing lost",
	lateEffect: "an effect that comes later than the reply is waited for",
	partialWrite: "what is made and not as declared stays in the state, and the next deployment mends it",
	wrongService: "an object that another service does not know keeps its state",
	unauthorized: "a refusal surfaces with what to do, and changes nothing",
} as const;
type Case = keyof typeof CASES;

interface Scene {
	readonly world: World;
	readonly stack: Stack;
}
type Proof = (scene: Scene) => Promise<void>;
/** A case that cannot come up for a kind says why. */
interface NotFor {
	readonly notFor: string;
}

const deployed = async ({ stack }: Scene, program: readonly Declared[]): Promise<void> => {
	expect((await stack.up(program)).failures).toEqual([]);
};
const unchanged = async ({ stack, world }: Scene, program: readonly Declared[]): Promise<void> => {
	world.writes();
	await stack.refresh();
	const run = await stack.up(program);
	expect(run.failures).toEqual([]);
	expect(run.steps.every((step) => step.startsWith("same "))).toBe(true);
	expect(world.writes()).toEqual([]);
};
const elsewhere = async (): Promise<NodeJS.ProcessEnv> => {
	const { server } = await providerWorld();
	const { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN } = server.environment;
	return { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN };
};
const SECOND = 1_000;

const nightly = [schedule("nightly", { scheduleName: "nightly", pipelineName: "p1" })];
const schedules = ({ world }: Scene) => world.colleague.schedules();
/** There is one schedule, and it is the one in the state. */
const oneSchedule = (scene: Scene): void => {
	expect(schedules(scene).map(({ id }) => String(id))).toEqual(Object.values(scene.stack.ids()));
	expect(schedules(scene)).toHaveLength(1);
};

const forSchedules: Record<Case, Proof | NotFor> = {
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
		const heal = scene.world.fault({ kind: "html", status: 404 });
		await expect(scene.stack.refresh()).rejects.toThrow(
			/not in the service's own form, so it may come from a proxy/,
		);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		heal();
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

const tuned = [
	settings("tuned", { pipelineName: "p1", workers: 2, environment: { A: "1" }, onDestroy: "reset" }),
];
const live = ({ world }: Scene) => world.colleague.pipelines()[0]?.settings;
const asTuned = (scene: Scene) => expect(live(scene)).toMatchObject({ workers: 2, environment: { A: "1" } });

const forSettings: Record<Case, Proof | NotFor> = {
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
		const heal = scene.world.fault({ kind: "html", status: 404 });
		await expect(scene.stack.refresh()).rejects.toThrow(
			/not in the service's own form, so it may come from a proxy/,
		);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		heal();
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

const script: Declared[] = [{ kind: "JobFile", name: "script", inputs: { text: "print(1)", name: "a.py" } }];
const NO_READ =
	"Nothing in the API lists, reads or deletes a file, so no reply can speak of one that was uploaded.";

const forFiles: Record<Case, Proof | NotFor> = {
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

const PROOFS: Record<Kind, Record<Case, Proof | NotFor>> = {
	PipelineSchedule: forSchedules,
	PipelineSettings: forSettings,
	JobFile: forFiles,
};

describe("the list of required cases", () => {
	it("has every resource kind, and every kind fills every case or says why not", () => {
		expect(Object.keys(PROOFS).sort()).toEqual(Object.keys(KINDS).sort());
		for (const [kind, proofs] of Object.entries(PROOFS)) {
			expect(Object.keys(proofs).sort(), kind).toEqual(Object.keys(CASES).sort());
			for (const proof of Object.values(proofs)) {
				if (typeof proof !== "function") expect(proof.notFor).toMatch(/^.{40,}\.$/);
			}
		}
	});
});

describe.each(Object.entries(PROOFS))("%s", (_, proofs) => {
	for (const [name, behaviour] of Object.entries(CASES)) {
		const proof = Object.entries(proofs).find(([filled]) => filled === name)?.[1];
		if (typeof proof !== "function") continue;
		it(behaviour, async () => {
			const world = await providerWorld();
			await proof({ world, stack: new Stack(world) });
		});
	}
});
