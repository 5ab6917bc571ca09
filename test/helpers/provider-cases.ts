import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { handlerOf, ownProperties } from "../../src/provider/hosts/hosting";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import { KINDS } from "../../src/schemas/kinds";
import type { Colleague, FaultRule } from "../../src/server";
import { urnOf } from "../model/process";
import type { Done, Entry, Host, Program, Resource } from "../model/stack";
import {
	CANARY,
	type CommandOptions,
	providerWorld,
	Stack,
	type World,
	WRITES,
} from "./provider-harness";
import {
	type Edit,
	KINDS_UNDER_TEST,
	type KindUnderTest,
	type Seen,
} from "./provider-kinds";
import { testFolder } from "./test-folder";
import { skipLongWaits } from "./virtual-time";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type Condition = "prompt" | "lagging" | "losing replies" | "rate limited";
/** How the service behaves while a case runs. Each command meets these faults anew. */
const CONDITIONS: Readonly<Record<Condition, readonly FaultRule[]>> = {
	prompt: [],
	lagging: [
		{ kind: "stale-read", ms: 8 * SECOND },
		{ kind: "late-effect", ms: 4 * SECOND },
	],
	"losing replies": WRITES.map((endpoint) => ({
		kind: "reset-after",
		endpoint,
		times: 1,
	})),
	"rate limited": WRITES.map((endpoint) => ({
		kind: "status",
		status: 429,
		endpoint,
		times: 1,
	})),
};

/** One kind on a service of its own. */
class Scene {
	readonly stack: Stack;
	private armed: (() => void)[] = [];

	private constructor(
		readonly kind: KindUnderTest,
		readonly world: World,
		/** Another team than the one that the connection names. */
		readonly audio: Colleague,
		readonly host: Host,
		readonly condition: Condition,
	) {
		this.stack = new Stack(world, "dev", host);
	}

	static async open(
		kind: KindUnderTest,
		host: Host,
		condition: Condition,
	): Promise<Scene> {
		const world = await providerWorld();
		const audio = world.server.addTeam("audio", {
			pipelines: ["p1"],
			datasets: [{ fullName: "dev.images.clean" }],
		});
		return new Scene(kind, world, audio, host, condition);
	}

	/** The same again, untouched. */
	another(): Promise<Scene> {
		return Scene.open(this.kind, this.host, this.condition);
	}

	declared(inputs: Props = {}, name = "it"): Resource {
		return { kind: this.kind.kind, name, args: { ...this.kind.inputs, ...inputs } };
	}

	get seen(): readonly Seen[] | undefined {
		return this.kind.seen?.(this.world);
	}

	/** The service's mood begins anew. */
	arm(): void {
		for (const disarm of this.armed) disarm();
		this.armed = CONDITIONS[this.condition].map((rule) => this.world.fault(rule));
	}

	/** A deployment that must succeed; the preview before it writes nothing and says the same steps. */
	async up(
		program: Program = [this.declared()],
		options: CommandOptions = {},
	): Promise<Done> {
		this.arm();
		this.world.writes();
		const preview = await this.stack.preview(program, options);
		expect(preview.failures).toEqual([]);
		expect(this.world.writes()).toEqual([]);
		let run = await this.stack.up(program, options);
		const uploadIsUnclear =
			this.condition === "losing replies" && this.kind.create.endpoint === "uploadFile";
		if (uploadIsUnclear && run.failures.length > 0) {
			expect(run.failures[0]).toMatch(/the connection was cut/);
			run = await this.stack.up(program, options);
		}
		expect(run.failures).toEqual([]);
		if (!uploadIsUnclear) expect(run.steps).toEqual(preview.steps);
		return run;
	}

	/** What the state has after a deployment of some time ago. */
	async deployed(inputs: Props = {}): Promise<Entry> {
		await this.up([this.declared(inputs)]);
		this.later();
		return this.stack.entry("it");
	}

	/** The same, without a wait where nothing lags. */
	async upAtOnce(program?: Program): Promise<Done> {
		const from = this.world.time.now();
		const run = await this.up(program);
		if (this.condition === "prompt") expect(this.world.time.now()).toBe(from);
		return run;
	}

	async failing(
		program: Program = [this.declared()],
		options: CommandOptions = {},
	): Promise<string> {
		const { failures } = await this.stack.up(program, options);
		expect(failures).not.toEqual([]);
		return failures.join("\n");
	}

	async destroy(): Promise<Done> {
		this.arm();
		const run = await this.stack.destroy();
		expect(run.failures).toEqual([]);
		expect(this.stack.ids()).toEqual({});
		return run;
	}

	/** What is on the service is what the state has, each once. */
	matches(count = 1): void {
		expect(Object.keys(this.stack.ids())).toHaveLength(count);
		const ids = this.seen?.map(({ id }) => id);
		if (ids !== undefined)
			expect([...ids].sort()).toEqual(Object.values(this.stack.ids()).sort());
	}

	/** A refresh finds what was deployed, and another deployment asks the service for nothing. */
	async settles(inputs: Props = {}): Promise<void> {
		const declared = ownProperties(this.stack.entry("it").inputs);
		this.arm();
		await this.stack.refresh();
		expect(ownProperties(this.stack.entry("it").inputs)).toEqual(declared);
		this.world.server.requests.clear();
		expect((await this.stack.up([this.declared(inputs)])).steps).toEqual(["same it"]);
		expect(this.world.server.requests.entries).toEqual([]);
		this.world.writes();
	}

	/** So long that nothing lags behind and nothing is young any more. */
	later(): void {
		this.world.server.clock.advance(2 * MINUTE);
	}
}

/** A team of the same name on another service, which has none of our objects. */
async function anotherService(): Promise<NodeJS.ProcessEnv> {
	const { server } = await providerWorld();
	server.removeTeam("ml");
	server.addTeam("ml", { pipelines: ["other"] });
	const { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN } = server.environment;
	return { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN };
}

/** Every field on a prompt service; otherwise a field of what the kind was declared with, one for each thing an edit does. */
function editsUnder({ kind, condition }: Scene): [string, Edit][] {
	const all = Object.entries(kind.edits);
	if (condition === "prompt") return all;
	const some = ["update", "replace"].map((what) =>
		all.find(([field, { does }]) => does === what && field in kind.inputs),
	);
	return some.filter((edit) => edit !== undefined);
}

async function tryEdit(
	scene: Scene,
	field: string,
	{ from = {}, to, does, seen }: Edit,
): Promise<void> {
	const { id } = await scene.deployed(from);
	const edited = { ...from, ...to };
	if (does !== "same" && scene.condition === "prompt") {
		const unknown = scene.declared({ ...edited, [field]: UNKNOWN });
		const { steps, failures } = await scene.stack.preview([unknown]);
		expect([steps, failures], `${field}, not known yet`).toEqual([[`${does} it`], []]);
	}
	expect((await scene.upAtOnce([scene.declared(edited)])).steps, field).toEqual([
		`${does} it`,
	]);
	if (does !== "replace") expect(scene.stack.entry("it").id, field).toBe(id);
	if (seen !== undefined && scene.seen !== undefined) {
		expect(scene.seen, field).toMatchObject([seen]);
		scene.matches();
	}
	// The state takes over what needs no request with the next update.
	if (does !== "same") await scene.settles(edited);
}

/** By their names, by which a kind says that one cannot come up, and what they show. */
type Cases = Readonly<Record<`${string}: ${string}`, (scene: Scene) => Promise<void>>>;
type NameOf<Title> = Title extends `${infer Name}: ${string}` ? Name : never;

/** What every kind must do, however the service behaves. */
const LIFE = {
	"created: a create makes one object, which the state has, and nothing is left to do":
		async (scene) => {
			expect((await scene.upAtOnce()).steps).toEqual(["create it"]);
			scene.matches();
			await scene.settles();
			scene.matches();
		},
	"edited: an edit of a field does what it must, and nothing is left to do": async (
		scene,
	) => {
		for (const [field, edit] of editsUnder(scene))
			await tryEdit(await scene.another(), field, edit);
	},
	"drift: a refresh shows what somebody changed, and the next deployment puts it right":
		async (scene) => {
			const { make, shows } = present(scene.kind.drift);
			const entry = await scene.deployed();
			const before = scene.seen;
			make(scene.world, entry);
			scene.later();
			await scene.stack.refresh();
			expect(scene.stack.entry("it").outs).toMatchObject(shows);
			expect((await scene.up()).steps).toEqual(["update it"]);
			expect(withoutTimes(scene.seen)).toEqual(withoutTimes(before));
		},
	"replaced: a forced replacement leaves one object": async (scene) => {
		for (const replace of [true, "against the diff"] as const) {
			const forced = await scene.another();
			const { id } = await forced.deployed();
			// What has a name must go first: --replace tells the provider nothing of the object that has it.
			const deleteBeforeReplace = scene.kind.slot === undefined ? undefined : true;
			const run = await forced.stack.up([
				{ ...forced.declared(), replace, deleteBeforeReplace },
			]);
			expect(run).toMatchObject({ steps: ["replace it"], failures: [] });
			expect(run.notices.join()).not.toMatch(/was not changed|nothing was deleted/);
			forced.matches();
			if (scene.kind.kind !== "PipelineSettings")
				expect(forced.stack.entry("it").id).not.toBe(id);
			await forced.settles();
		}
	},
	"forced: a replacement that cannot know its own object is refused, and says what to set":
		async (scene) => {
			const { id } = await scene.deployed();
			scene.world.writes();
			const failure = await scene.failing([{ ...scene.declared(), replace: true }]);
			expect(failure).toMatch(
				/\(--replace, or a tainted resource\), set the resource option deleteBeforeReplace to true\.$/,
			);
			expect([scene.stack.ids(), scene.world.writes()]).toEqual([{ it: id }, []]);
			scene.matches();
		},
	"renamed: a resource that gets another name, with consent, leaves one object": async (
		scene,
	) => {
		const { id } = await scene.deployed();
		await scene.up([scene.declared({}, "renamed")], { adoptEqual: true });
		scene.matches();
		const isKept = scene.kind.kind !== "Job" && scene.kind.left.withConsent === "taken";
		expect(scene.stack.entry("renamed").id === id).toBe(isKept);
		expect((await scene.stack.up([scene.declared({}, "renamed")])).steps).toEqual([
			"same renamed",
		]);
	},
	"deleted: a delete ends the object, and the same program can be deployed again":
		async (scene) => {
			await scene.deployed();
			const { notices } = await scene.destroy();
			if (scene.kind.farewell === undefined) expect(notices).toEqual([]);
			else expect(notices).toEqual([expect.stringMatching(scene.kind.farewell)]);
			expect(scene.seen ?? []).toEqual([]);
			scene.later();
			await scene.up();
			scene.matches();
		},
	"gone: an object that is gone is seen to be by a refresh, and its delete succeeds":
		async (scene) => {
			const { make, refresh } = present(scene.kind.loss);
			const entry = await scene.deployed();
			make(scene.world, entry);
			scene.later();
			scene.world.writes();
			const from = scene.world.time.now();
			expect((await scene.stack.refresh()).steps).toEqual([`${refresh} it`]);
			// What is no longer young is not asked for again.
			if (scene.condition === "prompt") expect(scene.world.time.now()).toBe(from);
			scene.stack.entries = [entry];
			await scene.destroy();
			expect([...new Set(scene.world.writes())]).toEqual(scene.kind.loss?.sends ?? []);
		},
	"left: an equal object that the state does not have is never taken without consent":
		async (scene) => {
			const { usually, withConsent, told } = scene.kind.left;
			for (const adoptEqual of [false, true]) {
				const left = await scene.another();
				const { id } = await left.deployed();
				left.stack.entries = [];
				left.world.writes();
				if (!adoptEqual && usually !== "another") {
					expect(await left.failing()).toMatch(usually);
					expect(left.world.writes()).toEqual([]);
					continue;
				}
				const { notices } = await left.up(undefined, { adoptEqual });
				const notice = adoptEqual ? told?.withConsent : told?.usually;
				expect(notices).toEqual(notice ? [expect.stringMatching(notice)] : []);
				const isTaken = adoptEqual && withConsent === "taken";
				expect(left.stack.entry("it").id === id).toBe(isTaken);
				if (!isTaken) continue;
				left.matches();
				expect(left.world.writes()).toEqual([]);
			}
		},
	"foreign: another user's object is refused before any write, and taken with adopt":
		async (scene) => {
			const id = present(scene.kind.foreign)(scene.world);
			scene.later();
			scene.arm();
			const theirs = scene.seen;
			const { notices, failures } = await scene.stack.preview([scene.declared()]);
			// The dynamic host is asked for no step of a preview, so it cannot know what other resources release.
			if (scene.host === "plugin")
				expect(failures.join()).toMatch(/it was not changed|They were not changed/);
			else expect(notices.join()).toMatch(/the deployment will fail/);
			expect(await scene.failing()).toMatch(/it was not changed|They were not changed/);
			expect([scene.world.writes(), scene.seen]).toEqual([[], theirs]);
			await scene.up([scene.declared({ adopt: true })]);
			expect(scene.stack.ids()).toEqual({ it: id });
			expect(scene.stack.entry("it").outs.adopted).toBe(true);
			scene.matches();
			await scene.settles({ adopt: true });
			expect(scene.stack.entry("it").outs.adopted).toBe(true);
		},
	"twice: two resources that declare the same never share an object": async (scene) => {
		const both = [scene.declared(), scene.declared({}, "second")];
		if (scene.kind.twice === "two objects") {
			await scene.up(both);
			scene.matches(2);
			expect(new Set(Object.values(scene.stack.ids())).size).toBe(2);
			scene.world.server.requests.clear();
			await scene.stack.refresh();
			// One list has both.
			if (scene.condition === "prompt")
				expect(scene.world.server.requests.entries.length).toBeLessThanOrEqual(1);
			return;
		}
		for (const { failures } of [
			await scene.stack.preview(both),
			await scene.stack.up(both),
		])
			expect(failures).toEqual([
				expect.stringMatching(
					/^second: \w+Name: "second" and "it" both declare .* in team "ml"\. (Give one of the two another scheduleName, or remove it|Declare them in one PipelineSettings resource)\.$/,
				),
			]);
		scene.matches();
		for (const field of [present(scene.kind.slot), "teamName"]) {
			const unknown = both.map((one) => ({
				...one,
				args: { ...one.args, [field]: UNKNOWN },
			}));
			expect((await (await scene.another()).stack.preview(unknown)).failures).toEqual(
				[],
			);
		}
	},
} satisfies Cases;

/** An edit of what the kind was declared with, which the service shows. */
const seenUpdate = ({ edits, inputs }: KindUnderTest): Edit =>
	present(
		Object.entries(edits).find(
			([field, { does, seen }]) => does === "update" && seen && field in inputs,
		)?.[1],
	);

/** A change that was done, and that no read has shown. */
async function changedUnseen(scene: Scene) {
	const { to } = seenUpdate(scene.kind);
	await scene.deployed();
	const before = withoutTimes(scene.seen);
	const caughtUp = scene.world.fault({ kind: "stale-read", ms: 5 * MINUTE });
	expect(await scene.failing([scene.declared(to)])).toMatch(/returns other values/);
	return { to, before, caughtUp };
}

/** Deployed once, although the service's rate limit refuses the create first; answers how long that took. */
async function letThrough(scene: Scene, refusal: Partial<FaultRule>): Promise<number> {
	skipLongWaits();
	const from = performance.now();
	const { endpoint } = scene.kind.create;
	scene.world.fault({ kind: "status", status: 429, endpoint, ...refusal } as FaultRule);
	const { failures, notices } = await scene.stack.up([scene.declared()]);
	expect(failures).toEqual([]);
	expect(notices).toContainEqual(
		expect.stringMatching(/^The service limits the rate of requests \(HTTP 429\)/),
	);
	scene.matches();
	expect((await scene.stack.up([scene.declared()])).steps).toEqual(["same it"]);
	return performance.now() - from;
}

/** What every kind must do about a failure of one request. */
const FAILURES = {
	"unclear: an unclear create gives advice that leads to one object, and never to two":
		async (scene) => {
			const { endpoint, repeatable, unclear, search } = scene.kind.create;
			const notDone: FaultRule[] = [{ kind: "status", status: 502, endpoint }];
			const shownLate: FaultRule[] = search
				? [
						{ kind: "reset-after", endpoint },
						{ kind: "stale-list", ms: 50 * SECOND, endpoint: search.list },
					]
				: [];
			for (const faults of [notDone, shownLate].filter(({ length }) => length > 0)) {
				const unsure = await scene.another();
				const heal = faults.map((fault) => unsure.world.fault(fault));
				const failure = await unsure.failing();
				expect(failure).toMatch(unclear);
				if (!repeatable) {
					expect(failure).not.toMatch(/try again/i);
					expect(unsure.world.writes()).toEqual([endpoint]);
				}
				for (const undo of heal) undo();
				unsure.later();
				expect(
					(await unsure.stack.up([unsure.declared()], { adoptEqual: true })).failures,
				).toEqual([]);
				unsure.matches();
			}
		},
	"misnamed: a create whose response is lost, or names something else, has what it made":
		async (scene) => {
			const { endpoint, search } = scene.kind.create;
			const { list, misnamed } = present(search);
			const unread = ({ fault }: World) => {
				fault({ kind: "reset-after", endpoint, times: 1 });
				fault({ kind: "status", status: 403, endpoint: list, skip: 1, times: 2 });
			};
			for (const arrange of [...misnamed, unread]) {
				const odd = await scene.another();
				arrange(odd.world);
				const before = odd.seen?.map(({ id }) => id) ?? [];
				const { failures } = await odd.stack.up([odd.declared()]);
				// Two of one name are told.
				expect(failures.join()).toMatch(/^$|Created twice/);
				const made = odd.seen?.filter(({ id }) => !before.includes(id));
				expect(made).toMatchObject([{ id: odd.stack.entry("it").id }]);
				expect(odd.world.writes()).toEqual([endpoint]);
			}
		},
	"unshown: a create that no response and no list shows is reported, and sent once":
		async (scene) => {
			const { endpoint, search } = scene.kind.create;
			const { list, tells, reasons } = present(search);
			for (const [fault, why] of reasons) {
				const unshown = await scene.another();
				unshown.world.fault({
					kind: "capped-list",
					limit: 0,
					which: "newest",
					endpoint: list,
				});
				unshown.world.fault(fault);
				expect(await unshown.failing()).toBe(tells(why));
				expect([unshown.world.writes(), unshown.stack.ids()]).toEqual([[endpoint], {}]);
			}
		},
	"limited: a create that the rate limit refuses is done, however long that takes":
		async (scene) => {
			const { endpoint } = scene.kind.create;
			expect(await letThrough(scene, { retryAfter: 25, times: 4 })).toBeGreaterThan(
				100_000,
			);
			expect(scene.world.writes().filter((write) => write === endpoint)).toHaveLength(
				5,
			);
		},
	"limitedLate: a create that the rate limit refuses although it was done is one object":
		async (scene) => {
			await letThrough(scene, { retryAfter: 10, times: 1, afterWork: true });
		},
	"unreadable: a reply that breaks off makes no second object": async (scene) => {
		const { endpoint } = scene.kind.create;
		scene.world.fault({ kind: "truncated-json", endpoint, times: 1 });
		if (endpoint === "uploadFile")
			expect(await scene.failing()).toMatch(/JSON is broken or cut off/);
		await scene.up();
		scene.matches();
	},
	"unauthorized: a refusal surfaces with what to do, and makes nothing": async (
		scene,
	) => {
		const heal = scene.world.fault({
			kind: "status",
			status: 403,
			endpoint: scene.kind.create.endpoint,
		});
		const { server } = scene.world;
		const from = server.clock.now();
		expect(await scene.failing()).toMatch(/^it: Could not \w+ .*403, .*token/);
		// What was refused is not looked for.
		expect(server.clock.now()).toBe(from);
		expect([scene.stack.ids(), scene.seen ?? []]).toEqual([{}, []]);
		heal();
		await scene.up();
	},
	"half: an object that is not as declared is reported, and the next run goes on":
		async (scene) => {
			const { inputs, fault, says, shows = {}, next } = scene.kind.half;
			const heal = fault && scene.world.fault(fault);
			expect(await scene.failing([scene.declared(inputs)])).toMatch(says);
			expect("it" in scene.stack.ids()).toBe(next.step === "update");
			if (next.step === "update")
				expect(scene.stack.entry("it").outs).toMatchObject(shows);
			heal?.();
			const run = await scene.stack.up([scene.declared(next.inputs)]);
			expect(run).toMatchObject({ steps: [`${next.step} it`], failures: [] });
			await scene.settles(next.inputs);
		},
	"unconfirmed: a change that no read has confirmed is sent again, also back, with nothing about it in the state":
		async (scene) => {
			const { before, caughtUp } = await changedUnseen(scene);
			const { inputs, outs } = scene.stack.entry("it");
			expect(Object.keys({ ...inputs, ...outs })).not.toContain("__unconfirmed");
			// The engine updates a resource with a failure in its state, and the update sends every declared field.
			scene.world.writes();
			const { steps, failures } = await scene.stack.up([scene.declared()]);
			expect([steps, failures]).toEqual([["update it"], []]);
			expect(scene.world.writes()).toHaveLength(1);
			expect(withoutTimes(scene.seen)).toEqual(before);
			caughtUp();
			await scene.settles();
		},
	"unanswered: a change whose response or read is lost is sent again, also back":
		async (scene) => {
			const { to, seen } = seenUpdate(scene.kind);
			const readBack = present(scene.kind.half.fault);
			const skip = "skip" in readBack ? (readBack.skip ?? 0) : 0;
			const lost: FaultRule[] = [
				{ kind: "stale-read", ms: 5 * MINUTE },
				{ kind: "reset-after", endpoint: "updateSchedule" },
				{ kind: "reset-after", endpoint: "updateSettings" },
			];
			const missed = [
				{
					kind: "status",
					status: 404,
					message: "none",
					endpoint: readBack.endpoint,
					skip,
				},
			] as FaultRule[];
			for (const faults of [lost, missed]) {
				const unsure = await scene.another();
				await unsure.deployed();
				const before = withoutTimes(unsure.seen);
				const [first, ...others] = faults.map((fault) => unsure.world.fault(fault));
				const failure = await unsure.failing([unsure.declared(to)]);
				expect(failure).toMatch(
					faults === missed
						? /: Could not get .* 404, /
						: /the connection was cut.*\. "pulumi up" sends it again\.$/,
				);
				expect(unsure.seen).toMatchObject([{ ...seen }]);
				// Reads still show the old value where the response was lost.
				for (const undo of faults === missed ? [first] : others) undo?.();
				expect((await unsure.stack.up([unsure.declared()])).failures).toEqual([]);
				expect(withoutTimes(unsure.seen)).toEqual(before);
			}
		},
	"confirmed: a change that a later read confirms is not sent again": async (scene) => {
		const { to, caughtUp } = await changedUnseen(scene);
		caughtUp();
		await scene.stack.refresh();
		scene.world.writes();
		expect((await scene.stack.up([scene.declared(to)])).steps).toEqual(["same it"]);
		expect(scene.world.writes()).toEqual([]);
	},
	"proxy: a 404 that is not the service's own, or a refusal to show it, keeps the state":
		async (scene) => {
			await scene.deployed();
			const proxy = present(scene.kind.reads);
			const refused = proxy.map(
				({ endpoint }) => ({ kind: "status", status: 403, endpoint }) as FaultRule,
			);
			for (const [rules, says] of [
				[proxy, /may come from a proxy/],
				[refused, /403/],
			] as const) {
				const heal = rules.map((rule) => scene.world.fault(rule));
				await expect(scene.stack.refresh()).rejects.toThrow(says);
				expect((await scene.stack.destroy()).failures.join()).toMatch(says);
				for (const undo of heal) undo();
			}
			await scene.settles();
		},
	"kept: a delete that is refused keeps the state, and the next one ends the object":
		async (scene) => {
			const endpoint = present(scene.kind.end);
			await scene.deployed();
			for (const fault of [
				{ kind: "status", status: 403 },
				{ kind: "html", status: 404 },
			] as const) {
				const heal = scene.world.fault({ ...fault, endpoint });
				expect((await scene.stack.destroy()).failures).toEqual([
					expect.stringMatching(/^it: .*40[34]/s),
				]);
				scene.matches();
				heal();
			}
			await scene.destroy();
			expect(scene.seen).toEqual([]);
		},
	"outdated: an update of what is gone says how it is made again, and changes no state":
		async (scene) => {
			const { make } = present(scene.kind.loss);
			const [, { from = {}, to }] = present(
				Object.entries(scene.kind.edits).find(([, { does }]) => does === "update"),
			);
			const entry = await scene.deployed(from);
			make(scene.world, entry);
			scene.later();
			scene.world.writes();
			expect(await scene.failing([scene.declared({ ...from, ...to })])).toMatch(
				/is no longer in team "ml"\. Run "pulumi up --refresh" to create it again\.$|has no pipeline "p1"\. It has "p3", "p2"\.$/,
			);
			expect(scene.stack.entry("it")).toEqual(entry);
			expect(scene.world.writes()).toEqual([]);
		},
	"team: an object lives and ends in the team that it names, or in the connection's":
		async (scene) => {
			const { world, audio, stack, kind } = scene;
			const inAudio = () => kind.seen?.({ ...world, colleague: audio });
			await scene.up([scene.declared({ teamName: "audio" })]);
			expect([inAudio()?.length ?? 1, scene.seen ?? []]).toEqual([1, []]);
			const [, edit] =
				Object.entries(kind.edits).find(
					([field, { does, from }]) =>
						does === "update" && from === undefined && field in kind.inputs,
				) ?? [];
			if (edit !== undefined) {
				await scene.up([scene.declared({ teamName: "audio", ...edit.to })]);
				expect(inAudio()).toMatchObject([{ ...edit.seen }]);
			}
			await stack.refresh();
			expect(stack.entry("it").inputs.teamName).toBe("audio");
			await scene.destroy();
			expect(inAudio() ?? []).toEqual([]);
			await scene.up();
			const elsewhere = { env: { DATACHAIN_STUDIO_TEAM: "audio" } };
			expect((await stack.refresh(elsewhere)).steps).toEqual(["read it"]);
			world.writes();
			expect((await stack.up([scene.declared()], elsewhere)).failures).toEqual([
				expect.stringMatching(
					/teamName: this resource is in team "ml", but the connection now names team "audio"\. Point the connection back to "ml", or set teamName to "audio" to move the resource there\.$/,
				),
			]);
			expect(world.writes()).toEqual([]);
			if (kind.loss === undefined) return;
			stack.alter("it", { teamName: undefined });
			expect((await stack.refresh()).steps).toEqual(["read it"]);
			expect(stack.entry("it").inputs.teamName).toBe("ml");
			stack.alter("it", { teamName: undefined });
			await scene.destroy();
			expect(scene.seen ?? []).toEqual([]);
		},
	"taken: what one resource of a run has is taken by no other, and each gets its own":
		async (scene) => {
			const { world, stack, host } = scene;
			const { kind, edits } = scene.kind;
			const slot = present(scene.kind.slot);
			const { to } = present(edits[slot]);
			const other = { kind, name: "other" };
			await scene.up();
			const old = stack.entry("it");
			const same = scene.declared().args;
			const keeping = world.process({ host });
			const kept = await keeping.check(old, old.inputs, old);
			expect(await keeping.serve(kind).diff(old.id, old.outs, kept)).toMatchObject({
				changes: false,
			});
			expect(keeping.context.owners.of({ kind, team: "ml", id: old.id })).toMatchObject(
				{ since: "state" },
			);
			expect(await keeping.refusals(other, same)).toEqual([
				expect.stringMatching(/"other" and "it" both declare/),
			]);
			const process = world.process({ host });
			// A refresh asks too, and that says nothing of who has it.
			await process.serve(kind).diff(old.id, old.outs, old.inputs);
			const adopting = await process.check(other, scene.declared({ adopt: true }).args);
			expect((await process.create(other, adopting)).id).toBe(old.id);
			const moved = await process.check(old, scene.declared(to).args, old);
			expect(await process.serve(kind).diff(old.id, old.outs, moved)).toMatchObject({
				changes: true,
				replaces: [slot],
				deleteBeforeReplace: false,
			});
			world.writes();
			// The adopted object stays when the replaced resource is deleted.
			await process.serve(kind).delete(old.id, old.outs);
			expect(process.notices.join("\n")).toMatch(
				/Resource "other" of this program now manages .*, so nothing was deleted\.$/m,
			);
			expect(await process.refusals({ kind, name: "third" }, same)).toEqual([
				expect.stringMatching(
					/"third" and "other" both declare .*(Give one of the two another|Declare them in one)/,
				),
			]);
			expect(world.writes()).toEqual([]);
			scene.matches();
		},
	"lookedUp: what a program only looked up is not its own, also after a refresh":
		async (scene) => {
			const { world, host } = scene;
			const { kind, foreign } = scene.kind;
			const id = present(foreign)(world);
			const look = { kind, name: "looked-up" };
			const __urn = urnOf(kind, look.name, "dev", host);
			const { inputs = {}, props = {} } = await world
				.process({ host })
				.serve(kind)
				.read(id, { __urn });
			const process = world.process({ host });
			await process.refresh({ ...look, id, inputs, outs: props });
			expect(process.context.owners.of({ kind, team: "ml", id })).toBeUndefined();
		},
	"moved: a resource that is renamed and moves to the other host leaves one object":
		async (scene) => {
			const { slot, left, kind } = scene.kind;
			const host = scene.host === "plugin" ? "dynamic" : "plugin";
			const folder = testFolder("hosts-");
			for (const { inputs, adoptEqual } of [
				{ inputs: {}, adoptEqual: true },
				{ inputs: slot ? { adopt: true } : {}, adoptEqual: false },
			]) {
				const moving = await scene.another();
				const { stack } = moving;
				const run = (engine: string) => ({ engine, tempFolder: folder, adoptEqual });
				await stack.up([moving.declared()], run("127.0.0.1:1"));
				const { id } = stack.entry("it");
				moving.later();
				const program = [{ ...moving.declared(inputs, "renamed"), host } as const];
				const { failures, notices } = await stack.up(program, run("127.0.0.1:2"));
				expect(failures).toEqual([]);
				moving.matches();
				const isKept =
					kind !== "Job" &&
					left.withConsent === "taken" &&
					(slot !== undefined || adoptEqual);
				expect(stack.entry("renamed").id === id).toBe(isKept);
				if (isKept)
					expect(notices.join("\n")).toMatch(
						/Resource "renamed" of this program now manages/,
					);
				expect((await stack.up(program, run("127.0.0.1:3"))).steps).toEqual([
					"same renamed",
				]);
			}
		},
	"elsewhere: an object that another service does not know keeps its state": async (
		scene,
	) => {
		await scene.deployed();
		const env = await anotherService();
		if (scene.kind.loss !== undefined) {
			const says =
				/^it: \w+ \S+ of team "ml" was not found, but it was deployed to http.* and the connection now points to http.*Nothing was changed/;
			await expect(scene.stack.refresh({ env })).rejects.toThrow(says);
			expect((await scene.stack.destroy({ env })).failures.join()).toMatch(says);
		} else {
			expect((await scene.stack.refresh({ env })).steps).toEqual(["read it"]);
		}
		await scene.settles();
	},
	"imported: a read without a state, as by an import, brings the inputs or says why not":
		async (scene) => {
			await scene.up();
			const { kind, imported } = scene.kind;
			const { id } = scene.stack.entry("it");
			const read = scene.world.process({ host: scene.host }).serve(kind).read(id, {});
			if (imported instanceof RegExp)
				return await expect(read).rejects.toThrow(imported);
			const found = await read;
			expect(found).toMatchObject({ id, inputs: imported });
			// What an import brings is a program that changes nothing.
			const who = { kind, name: "it" };
			const entry: Entry = {
				...who,
				id,
				inputs: found.inputs ?? {},
				outs: found.props ?? {},
			};
			const process = scene.world.process({ host: scene.host });
			const inputs = await process.check(who, found.inputs ?? {}, entry);
			expect(await process.serve(kind).diff(id, entry.outs, inputs)).toMatchObject({
				changes: false,
			});
		},
	"secrets: a secret stands in clear in no message and no other place of the state":
		async (scene) => {
			const { inputs, path, value = CANARY } = scene.kind.secret;
			const [key = ""] = path.split(".");
			const deleteBeforeReplace = scene.kind.slot === undefined ? undefined : true;
			const declared = scene.declared({ ...inputs, __secret: [path] });
			const clear = await scene.another();
			await clear.up([clear.declared(inputs)]);
			/** A plain hash of a secret could be guessed. */
			const hash = createHash("sha256").update(value).digest("hex");
			const expectHidden = ({ stack }: Scene) => {
				const { inputs: given, outs } = stack.entry("it");
				const others = JSON.stringify(
					[given, outs].map(({ [key]: _, ...rest }) => rest),
				);
				for (const shown of [CANARY, hash]) expect(others).not.toContain(shown);
			};
			clear.world.writes();
			const before = withoutTimes(clear.seen);
			for (const step of ["update it", "same it"])
				expect((await clear.stack.up([declared])).steps).toEqual([step]);
			expectHidden(clear);
			// An update sends every declared field, which changes nothing.
			expect(withoutTimes(clear.seen)).toEqual(before);
			const isSent = scene.kind.slot !== undefined;
			expect(clear.world.writes()).toHaveLength(isSent ? 1 : 0);
			const told: string[] = [];
			const message = `${value} is not yours`;
			const heal = scene.world.fault({
				kind: "status",
				status: 403,
				message,
				endpoint: scene.kind.create.endpoint,
			});
			told.push(await scene.failing([declared]));
			heal();
			for (const program of [
				[declared],
				[declared],
				[{ ...declared, replace: true, deleteBeforeReplace }],
			]) {
				told.push(...(await scene.stack.preview(program)).notices);
				const run = await scene.stack.up(program);
				expect(run.failures).toEqual([]);
				told.push(...run.notices);
				expectHidden(scene);
			}
			told.push(...(await scene.stack.refresh()).notices);
			expectHidden(scene);
			told.push(...(await scene.stack.destroy()).notices);
			expect(told.join("\n")).not.toContain(CANARY);
			expect(told[0]).toContain("[redacted]");
		},
	"unknownInput: an input that does not exist is refused by its name, and nothing is sent":
		async (scene) => {
			const process = scene.world.process({ host: scene.host, preview: true });
			const declared = scene.declared({ pipelineNam: CANARY });
			const [reason, ...others] = await process.refusals(declared, declared.args);
			expect(others).toEqual([]);
			expect(reason).toMatch(
				/^pipelineNam: there is no such input\..* The inputs are \w+, /,
			);
			expect(reason).not.toMatch(/utcCron|contentHash/);
			expect(reason).not.toContain(CANARY);
			expect(scene.world.writes()).toEqual([]);
		},
} satisfies Cases;

export type CaseName = NameOf<keyof typeof LIFE | keyof typeof FAILURES>;

/** What the list of the kind says that this case needs. */
function present<T>(value: T | undefined): T {
	if (value === undefined)
		throw new Error(
			"The kind must describe what this case needs, or say why it cannot.",
		);
	return value;
}

/** When it was written last, and when it runs next, are the service's own. */
const withoutTimes = (seen: readonly Seen[] | undefined): Props[] | undefined =>
	seen?.map((one) =>
		Object.fromEntries(Object.entries(one).filter(([key]) => !/(At|Run)$/.test(key))),
	);

/** Runs the list of required cases for every kind, through one host. */
export function requiredCases(host: Host): void {
	it("every kind is described, with an edit for every field, and says why a case cannot come up", () => {
		expect(Object.keys(KINDS_UNDER_TEST).sort()).toEqual(Object.keys(KINDS).sort());
		for (const [kind, { edits, computed, without }] of Object.entries(
			KINDS_UNDER_TEST,
		)) {
			const fields = Object.keys(handlerOf(kind as keyof typeof KINDS).fields);
			expect([...Object.keys(edits), ...computed].sort(), kind).toEqual(fields.sort());
			for (const reason of Object.keys(without)) expect(reason).toMatch(/^.{40,}\.$/);
		}
	});

	const casesOf = ({ without }: KindUnderTest, all: Cases) => {
		const left = Object.values<readonly string[]>(without).flat();
		return Object.entries(all).filter(
			([title]) => !left.includes(title.split(":", 1).join()),
		);
	};
	describe.each(Object.values(KINDS_UNDER_TEST))("$kind", (kind) => {
		describe.each(Object.keys(CONDITIONS) as Condition[])(
			"on a service that is %s",
			(condition) => {
				for (const [title, run] of casesOf(kind, LIFE))
					it(title, async () => run(await Scene.open(kind, host, condition)));
			},
		);
		for (const [title, run] of casesOf(kind, FAILURES))
			it(title, async () => run(await Scene.open(kind, host, "prompt")));
	});
}
