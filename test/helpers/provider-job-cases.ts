import { expect } from "vitest";
import { deployed, elsewhere, type Proofs, type Scene, SECOND, unchanged } from "./provider-case-list";
import type { Declared } from "./provider-engine";

const HOLD = "# local-server: hold\n";
const train: Declared[] = [{ kind: "Job", name: "train", inputs: { query: HOLD, name: "train.py" } }];
const jobs = ({ world }: Scene) => world.colleague.jobs();
/** There is one job, and it is the one in the state. */
const oneJob = (scene: Scene): void => {
	expect(jobs(scene).map(({ id }) => id)).toEqual(Object.values(scene.stack.ids()));
	expect(jobs(scene)).toHaveLength(1);
};

export const JOB_PROOFS: Proofs = {
	found: async (scene) => {
		await deployed(scene, train);
		oneJob(scene);
		await unchanged(scene, train);
	},
	changed: { notFor: "No request changes a job: what it was started with is what it is." },
	gone: {
		notFor:
			"A service forgets old jobs. One that is gone was run all the same, so it stays in the state; see provider-runs.",
	},
	proxy404: async (scene) => {
		await deployed(scene, train);
		const heal = scene.world.fault({ kind: "html", status: 404, endpoint: "listJobs" });
		await expect(scene.stack.refresh()).rejects.toThrow(/may come from a proxy/);
		expect((await scene.stack.destroy()).failures).toEqual([expect.stringMatching(/may come from a proxy/)]);
		heal();
		await unchanged(scene, train);
	},
	lostReply: async (scene) => {
		scene.world.fault({ kind: "reset-after", endpoint: "createJob", times: 1 });
		await deployed(scene, train);
		oneJob(scene);
		await unchanged(scene, train);
	},
	lostDelete: async (scene) => {
		await deployed(scene, train);
		scene.world.fault({ kind: "reset-after", endpoint: "cancelJob", times: 1 });
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(jobs(scene)[0]?.status).toMatch(/^CANCEL/);
	},
	badGateway: async (scene) => {
		scene.world.fault({ kind: "status", status: 502, endpoint: "createJob", times: 1 });
		expect((await scene.stack.up(train)).failures).toEqual([
			expect.stringMatching(/Could not tell whether job "train\.py" was started in team "ml"/),
		]);
		expect(scene.world.writes()).toEqual(["createJob"]);
		await deployed(scene, train);
		oneJob(scene);
	},
	unreadable: async (scene) => {
		scene.world.fault({ kind: "truncated-json", endpoint: "createJob", times: 1 });
		await deployed(scene, train);
		oneJob(scene);
	},
	owned: async (scene) => {
		const two = [...train, { ...train[0], name: "again" } as Declared];
		scene.world.fault({ kind: "reset-after", endpoint: "createJob", times: 2 });
		await deployed(scene, two);
		const ids = Object.values(scene.stack.ids());
		expect(new Set(ids).size).toBe(2);
		expect(
			jobs(scene)
				.map(({ id }) => id)
				.sort(),
		).toEqual([...ids].sort());
	},
	staleList: async (scene) => {
		scene.world.fault({ kind: "stale-list", ms: 15 * SECOND });
		await deployed(scene, train);
		oneJob(scene);
		await unchanged(scene, train);
	},
	lateEffect: async (scene) => {
		scene.world.fault({ kind: "late-effect", ms: 5 * SECOND });
		await deployed(scene, train);
		oneJob(scene);
		expect((await scene.stack.destroy()).failures).toEqual([]);
		expect(jobs(scene)[0]?.status).toMatch(/^CANCEL/);
	},
	partialWrite: async (scene) => {
		// Made and not ended in time: it stays in the state, and the next deployment goes on waiting for the same job.
		const waiting = [{ ...train[0], inputs: { ...train[0]?.inputs, wait: true, timeout: "1m" } } as Declared];
		expect((await scene.stack.up(waiting)).failures).toEqual([
			expect.stringMatching(
				/is RUNNING, and it did not end within 1 min, which is its timeout\. .* Run "pulumi up" again .*"npx pulumi-datachain cancel \S{36}"/,
			),
		]);
		oneJob(scene);
		const patient = [{ ...train[0], inputs: { ...train[0]?.inputs, timeout: "1m" } } as Declared];
		expect(await scene.stack.up(patient)).toMatchObject({ steps: ["update train"], failures: [] });
		oneJob(scene);
	},
	wrongService: async (scene) => {
		await deployed(scene, train);
		const env = await elsewhere();
		const message = /it was deployed to http.* and the connection now points to http.*Nothing was changed/;
		await expect(scene.stack.refresh({ env })).rejects.toThrow(message);
		expect((await scene.stack.destroy(undefined, { env })).failures).toEqual([
			expect.stringMatching(message),
		]);
		await unchanged(scene, train);
	},
	unauthorized: async (scene) => {
		const heal = scene.world.fault({ kind: "status", status: 403, endpoint: "createJob" });
		expect((await scene.stack.up(train)).failures).toEqual([expect.stringMatching(/403, .*token/)]);
		expect(jobs(scene)).toEqual([]);
		heal();
		await deployed(scene, train);
	},
};
