import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type Ask,
	type Claim,
	Claims,
	decide,
	type Occupant,
	obtain,
	predictVerdict,
	type Refusal,
} from "../../../src/provider/claims";

const ME = "urn me";
const OTHER = "urn other";
const ask = (more: Partial<Ask> = {}): Ask => ({
	urn: ME,
	slot: { kind: "PipelineSchedule", team: "ml", name: "a", folded: "a" },
	to: "make",
	adopts: false,
	adoptsEqual: false,
	persists: false,
	inputs: {},
	...more,
});
const there = (claim: Claim, more: Partial<Occupant> = {}): Occupant => ({
	id: "1",
	live: undefined,
	empty: false,
	equal: false,
	fits: true,
	claim,
	sure: true,
	moves: false,
	circle: false,
	blocked: null,
	...more,
});
const foreign: Claim = { is: "foreign" };
const ours: Claim = { is: "ours" };
const of = (verdict: ReturnType<typeof decide>): string =>
	verdict.do === "refuse" ? `refuse ${verdict.because.why}` : verdict.do;

const blocked = { ask: ask(), because: { why: "foreign", of: there(foreign) } } as const;
const make = ask();
const adopt = ask({ adopts: true });
const equals = ask({ adoptsEqual: true });
const replace = ask({ to: "replace", own: "9" });
const settings = ask({ persists: true });
const adoptSettings = ask({ persists: true, adopts: true });

const theirs = (more: Partial<Occupant> = {}) => there(foreign, more);
const own = (more: Partial<Occupant> = {}) => there(ours, more);
const second = theirs({ id: "2" });
/** What another resource of the run has; it may be renamed. */
const held = (more: Partial<Occupant> = {}, claim: object = {}) =>
	there({ is: "held", by: OTHER, since: "state", written: "not yet", ...claim } as Claim, more);
const moving = (more: Partial<Occupant> = {}, claim: object = {}) => held({ moves: true, ...more }, claim);
/** What another resource of the run is to delete. */
const releasing = (more: Partial<Occupant> = {}, claim: object = {}) =>
	there({ is: "releasing", by: OTHER, started: false, ...claim } as Claim, more);
const released = (more: Partial<Occupant> = {}) => there({ is: "released" }, more);
const equal = { equal: true };
const empty = { empty: true };
const unfit = { fits: false };
const unsure = { sure: false };
const circle = { circle: true };
const elsewhere = { elsewhere: true };
const started = { started: true };

/** rule, who asks, what is there, how long it was waited for, verdict. */
const CASES: readonly (readonly [string, Ask, readonly Occupant[], number, string])[] = [
	["free", make, [], 0, "make"],
	["R1: a foreign one is refused", make, [theirs()], 4000, "refuse foreign"],
	["R4: but not before the engine had time to tell", make, [theirs()], 3999, "wait"],
	["R1: and not by an old list", make, [theirs(unsure)], 4000, "look"],
	["R1a: adopted with adopt, at once", adopt, [theirs()], 0, "adopt"],
	["R1b: equal, in a run that consents", equals, [theirs(equal)], 0, "adopt"],
	["R1: unfit although adopt", adopt, [theirs(unfit)], 0, "refuse unfit"],
	["R6: several", adopt, [theirs(), second], 4000, "refuse several"],
	["R6: several, one of this stack", adopt, [own(), second], 4000, "refuse several"],
	["R4: one of this stack that its own resource deletes", adopt, [own(unfit), second], 4000, "adopt"],
	["R2: what another holds", adopt, [held()], 0, "refuse held"],
	["R2: what could not be deleted", adopt, [there({ is: "stuck" })], 0, "refuse stuck"],
	["R2: what is being deleted is waited for", adopt, [releasing({}, started)], 99_999, "wait"],
	["R2: what was deleted is not there", adopt, [released()], 0, "make"],
	["R4: what a rename frees", make, [moving()], 0, "wait"],
	["R4: freed", make, [moving({}, { written: "done" })], 0, "make"],
	["R4: a rename that failed", make, [moving({}, { written: "failed" })], 0, "refuse stuck"],
	["R4: in a circle somebody goes first", make, [moving(circle)], 0, "make"],
	["R4: what a replacement frees is waited for", make, [releasing()], 4999, "wait"],
	["R4: but never passed, because its diff is only a hope", make, [releasing()], 5000, "refuse stuck"],
	["R4: a rename that comes later is passed after five seconds", make, [moving()], 5000, "make"],
	["R4: what another process renames is waited for", make, [moving(circle, elsewhere)], 4999, "wait"],
	["R4: a circle with somebody who will be refused", make, [moving({ circle: true, blocked })], 0, "wait"],
	["R4: its own replaced one is in nobody's way", make, [releasing({}, { by: ME })], 0, "make"],
	["R4: ours, its turn to come", make, [own()], 3999, "wait"],
	["R4: ours, no turn came", make, [own()], 4000, "make"],
	["R1a: ours, with adopt", adopt, [own()], 0, "adopt"],
	["R4: ours, with adopt, of another pipeline", adopt, [own(unfit)], 0, "make"],
	["R4: ours, with adopt, and cannot be read", adopt, [own({ fits: undefined })], 0, "refuse unfit"],
	["R4: ours, a rename waits", { ...adopt, to: "rename" }, [own()], 0, "wait"],
	["replace: waits for nobody who frees it", replace, [moving()], 0, "make"],
	["settings: nothing of anybody there", settings, [theirs(empty)], 0, "adopt"],
	["settings: values of others", settings, [theirs()], 4000, "refuse foreign"],
	["settings: released by another, values of ours", settings, [released(empty)], 0, "adopt"],
	["settings: released, and values of others", settings, [released()], 0, "refuse foreign"],
	["settings: about to be released, taken after five seconds", settings, [releasing(empty)], 5000, "adopt"],
	[
		"settings: being released in another process",
		settings,
		[releasing(empty, { ...started, ...elsewhere })],
		99_999,
		"wait",
	],
	["settings: ours, its turn to come, also with adopt", adoptSettings, [own(empty)], 3999, "wait"],
	["settings: no such pipeline", settings, [theirs({ ...empty, ...unfit })], 0, "refuse unfit"],
];

describe("decide", () => {
	it.each(CASES)("%s", (_, who, occupants, waited, verdict) => {
		expect(of(decide(who, occupants, waited))).toBe(verdict);
	});

	const by = fc.constantFrom(ME, OTHER);
	const place = fc.constantFrom({}, { elsewhere: true as const });
	/** Every state that a claim can be in. */
	const claims: fc.Arbitrary<Claim> = fc.oneof(
		fc.constantFrom<Claim>(foreign, ours, { is: "released" }, { is: "stuck" }),
		fc
			.record({
				by,
				since: fc.constantFrom("state" as const, "run" as const),
				written: fc.constantFrom("not yet" as const, "done" as const, "failed" as const),
				place,
			})
			.map(({ place: where, ...more }): Claim => ({ is: "held", ...more, ...where })),
		fc
			.record({ by, started: fc.boolean(), place })
			.map(({ place: where, ...more }): Claim => ({ is: "releasing", ...more, ...where })),
	);
	const occupantOf = (empty: fc.Arbitrary<boolean>) =>
		fc.record({
			id: fc.constantFrom("1", "2"),
			live: fc.constant(undefined),
			claim: claims,
			equal: fc.boolean(),
			fits: fc.constantFrom(true, false, undefined),
			empty,
			sure: fc.boolean(),
			moves: fc.boolean(),
			circle: fc.boolean(),
			blocked: fc.constantFrom(null, undefined, blocked),
		});
	const asks = fc
		.record({
			to: fc.constantFrom("make" as const, "rename" as const, "replace" as const),
			adopts: fc.boolean(),
			adoptsEqual: fc.boolean(),
			persists: fc.boolean(),
		})
		.map((more) => ask(more));
	/** A slot of schedules may have any number of them; one of settings has one, which may be empty. */
	const questions = asks.chain((who) =>
		fc.record({
			who: fc.constant(who),
			all: who.persists
				? fc.array(occupantOf(fc.boolean()), { minLength: 1, maxLength: 1 })
				: fc.array(occupantOf(fc.constant(false)), { maxLength: 3 }),
			waited: fc.constantFrom(0, 3_999, 4_000, 4_999, 5_000, 60_000, Number.POSITIVE_INFINITY),
		}),
	);
	const always = (rule: (who: Ask, all: readonly Occupant[], waited: number) => void) =>
		fc.assert(
			fc.property(questions, ({ who, all, waited }) => rule(who, all, waited)),
			{ numRuns: 20_000 },
		);

	it("R1: adopts only with consent, and what fits, was just read, and is wanted by no rename", () => {
		always((who, all, waited) => {
			const verdict = decide(who, all, waited);
			if (verdict.do !== "adopt") return;
			const { of: found } = verdict;
			expect(found.empty || who.adopts || (who.adoptsEqual && found.equal)).toBe(true);
			expect(found.fits && found.sure && who.to !== "rename").toBe(true);
		});
	});

	it("R1: creates nothing beside what is foreign", () => {
		always((who, all, waited) => {
			if (decide(who, all, waited).do === "make")
				expect(all.filter(({ claim }) => claim.is === "foreign")).toEqual([]);
		});
	});

	it("R2: adopts nothing that another resource holds, deletes, has deleted or could not delete", () => {
		always((who, all, waited) => {
			const verdict = decide(who, all, waited);
			if (verdict.do !== "adopt") return;
			const { claim } = verdict.of;
			if (!who.persists) expect(["foreign", "ours"]).toContain(claim.is);
			expect(claim.is).not.toBe("stuck");
			if (claim.is === "held") expect([claim.by === ME, verdict.of.moves]).toContain(true);
			if (claim.is === "releasing" && claim.by !== ME) expect(claim.started).toBe(false);
		});
	});

	it("R3: what another resource holds and keeps is refused to everybody else", () => {
		always((who, all, waited) => {
			const kept = all.some(
				({ claim, moves }) => claim.is === "held" && claim.by !== ME && claim.written !== "failed" && !moves,
			);
			if (kept) expect(decide(who, all, waited).do).toBe("refuse");
		});
	});

	it("R4: creates nothing beside what is still there, unless its holder is only renamed, in this process", () => {
		always((who, all, waited) => {
			if (who.to === "replace" || who.persists || decide(who, all, waited).do !== "make") return;
			for (const { claim, moves, blocked: refusal } of all) {
				expect(claim.is).not.toBe("stuck");
				if (claim.is === "releasing") expect(claim.by).toBe(ME);
				if (claim.is !== "held" || claim.by === ME || claim.written === "done") continue;
				expect([moves, claim.written, claim.elsewhere, refusal]).toEqual([true, "not yet", undefined, null]);
			}
		});
	});

	it("R4: waits for ever only for a delete that is under way", () => {
		always((who, all) => {
			const seen = all.map((each) => ({ ...each, sure: true, blocked: each.blocked ?? null }));
			const verdict = decide(who, seen, Number.POSITIVE_INFINITY);
			expect(verdict.do).not.toBe("look");
			if (verdict.do === "wait")
				expect(seen.some(({ claim }) => claim.is === "releasing" && claim.started)).toBe(true);
		});
	});

	it("a delete before a replacement is refused whatever its create would be refused for at once", () => {
		always((who, all, waited) => {
			if (who.to !== "make" || waited < 4_000) return;
			const create = decide(who, all, waited);
			const before = decide({ ...who, to: "replace" }, all, waited);
			const isOpen = all.every(({ claim }) => ["foreign", "ours"].includes(claim.is));
			if (isOpen && create.do === "refuse") expect(before).toEqual(create);
		});
	});
});

describe("a slot that a list shows to be taken", () => {
	const row = { id: "1", live: undefined, empty: false, equal: false, fits: true };
	/** Somebody's object, which is deleted after so long, in a time that passes by sleeping only. */
	const finding = (goneAfter: number) => {
		let now = 0;
		const asked: string[] = [];
		const sleep = async (millis: number) => {
			now += millis;
		};
		const find = {
			list: async (_: Ask, how: string) => {
				asked.push(`${how} after ${now}`);
				return now < goneAfter ? [row] : [];
			},
			detail: async (_: Ask, _row: object, how: string) => {
				asked.push(how);
				return row;
			},
			askOf: () => undefined,
		};
		return { claims: new Claims(), time: { now: () => now, sleep }, find, asked };
	};

	it("is looked at again after the wait, before it is refused", async () => {
		const { find, asked, ...context } = finding(4_000);
		expect(await obtain(context, equals, find)).toEqual({ do: "make" });
		expect(asked).toEqual(["recent after 0", "now after 0", "with retries", "now after 4000"]);
	});

	it("is taken at once by who adopts it, and not by a replacement before its delete", async () => {
		const { find, ...context } = finding(1);
		const asks = [[{ ...adopt, to: "replace" }, undefined] as const, [adopt, ME] as const];
		for (const [who, holder] of asks) {
			expect(of(await obtain(context, who, find))).toBe("adopt");
			expect(context.claims.holder({ ...make.slot, id: "1" })).toBe(holder);
		}
	});

	it("is looked at once for a preview, which promises no adoption of what it cannot read", async () => {
		const { find, asked, claims } = finding(1);
		expect(await predictVerdict(claims, adopt, find)).toMatchObject({ do: "adopt" });
		const unread = { ...find, detail: async () => undefined };
		const refusal = { do: "refuse", because: { why: "unfit", of: { id: "1", fits: false } } };
		expect(await predictVerdict(claims, adopt, unread)).toMatchObject(refusal);
		expect(of(await predictVerdict(claims, make, find))).toBe("refuse foreign");
		claims.readFor(OTHER, { ...make.slot, id: "1" }, true);
		expect(of(await predictVerdict(claims, adopt, find))).toBe("adopt");
		const [list, detail] = ["recent after 0", "once"];
		expect(asked).toEqual([list, detail, list, list, detail, list, detail]);
	});
});

describe("a slot that its holder is to leave", () => {
	const place = (name: string) => ({ ...make.slot, name, folded: name });

	/** Who has which slot (nobody of the program: null), and who declares which; I want "a". */
	async function asked(has: Record<string, string | null>, wants: Record<string, string>, me: Ask) {
		const claims = new Claims();
		for (const [urn, name] of Object.entries(wants)) claims.declare(urn, place(name));
		for (const [id, urn] of Object.entries(has))
			if (urn !== null) claims[me.persists ? "release" : "keep"](urn, { ...me.slot, id });
		let now = 0;
		const sleep = async (millis: number) => {
			now += millis;
			if (now > 60_000) throw new Error("It waits for ever.");
		};
		const list = async ({ slot: { name: id }, own: mine }: Ask) =>
			(me.persists || id in has) && id !== mine
				? [theirs({ id, empty: me.persists && has[id] !== null })]
				: [];
		const askOf = (urn: string, to: Ask["to"], mine: string) =>
			urn in wants ? { ...me, urn, to, own: mine, slot: place(wants[urn] ?? "") } : undefined;
		const find = { list, detail: async (_: Ask, row: Occupant) => row, askOf };
		const verdict = await obtain({ claims, time: { now: () => now, sleep } }, me, find);
		const why = (it?: Refusal): string =>
			it ? `, ${it.why} ${it.of.id}${it.why === "stuck" ? why(it.blocked?.because) : ""}` : "";
		return `${verdict.do}${verdict.do === "refuse" ? why(verdict.because) : ""}, ${now / 1000}`;
	}

	const [one, two] = [{ A: "b" }, { A: "b", B: "c" }];
	it.each<[string, Ask, Record<string, string | null>, Record<string, string>, string]>([
		["for a free one", make, { a: "A" }, one, "make, 5"],
		["for one that is not known", make, { a: "A" }, {}, "make, 5"],
		["for another's", adopt, { a: "A", b: null }, one, "refuse, stuck a, foreign b, 5"],
		["for that of another", make, { a: "A", b: "B", c: null }, two, "refuse, stuck a, stuck b, foreign c, 5"],
		["in exchange", make, { a: "A", b: "B" }, { A: "b", B: "a" }, "make, 5"],
		["for free settings", settings, { a: "A" }, one, "adopt, 5"],
		["for settings that are left as well", settings, { a: "A", b: "B", c: null }, two, "adopt, 5"],
		["for another's settings", settings, { a: "A", b: null }, one, "refuse, stuck a, foreign b, 5"],
	])("%s", async (_, who, has, wants, answer) => {
		expect(await asked(has, wants, who)).toBe(answer);
	});
});

describe("the claims of a run", () => {
	const object = { kind: "PipelineSchedule", team: "ml", id: "1" } as const;

	it("keep what a resource made in this run, also if its next operation keeps it", () => {
		const claims = new Claims();
		claims.take(ME, object);
		claims.keep(ME, object);
		claims.replaced(ME);
		expect(claims.of(object)).toMatchObject({ is: "held", by: ME, since: "run", written: "not yet" });
	});

	it("count what a refresh read as ours, and not what was only looked up", () => {
		const claims = new Claims();
		expect([claims.readFor(ME, object, false), claims.of(object)]).toEqual([undefined, foreign]);
		expect([claims.readFor(ME, object, true), claims.of(object)]).toEqual([undefined, ours]);
		claims.take(OTHER, object);
		expect([claims.readFor(OTHER, object, true), claims.holder(object)]).toEqual([ME, OTHER]);
	});

	it("put the delete of a kept object off until its own create shows that it is replaced", async () => {
		const claims = new Claims();
		claims.keep(OTHER, { ...object, id: "2" });
		claims.keep(ME, object);
		expect(claims.of(object)).toMatchObject({ since: "state", written: "not yet" });
		const remove = async () => void claims.keep("urn done", { ...object, id: "3" });
		expect([await claims.end(object, remove), claims.holdsAny("urn done")]).toEqual([ME, false]);
		const [finish] = claims.replaced(ME);
		expect(claims.of(object)).toEqual({ is: "releasing", by: ME, started: false });
		expect([OTHER, ME].map((urn) => claims.holdsAny(urn))).toEqual([true, false]);
		await finish?.();
		claims.settle(object, "done");
		expect([claims.of(object), claims.holdsAny("urn done")]).toEqual([{ is: "released" }, true]);
	});

	it("tell of a change at once who waits for it", async () => {
		const claims = new Claims();
		const sleep = () => new Promise<void>((_, reject) => setTimeout(reject, 1_000));
		setImmediate(() => claims.take(OTHER, object));
		await claims.news({ now: () => 0, sleep }, make, [theirs()]);
	});

	it("know who waits for whom, also over others, and end where others wait in a circle", async () => {
		const claims = new Claims();
		for (const urn of ["A", "B", ME]) claims.keep(urn, { ...object, id: urn });
		const waits = (urn: string, ...ids: string[]) =>
			claims.news(
				{ now: () => 0, sleep: async () => {} },
				ask({ urn }),
				ids.map((id) => theirs({ id })),
			);
		const isCircle = () => claims.occupants(make, [theirs({ id: "A" })])[0]?.circle;
		await waits("A", "B");
		await waits("B", "A");
		expect(isCircle()).toBe(false);
		await waits("B", "free", ME);
		expect(isCircle()).toBe(true);
		claims.doneWaiting("B");
		expect(isCircle()).toBe(false);
	});

	it("say while an object is deleted whose replacement deletes it, and leave it to who took it before", async () => {
		const claims = new Claims();
		claims.release(ME, object);
		await claims.end(object, async () => {
			expect(claims.of(object)).toEqual({ is: "releasing", by: ME, started: true });
		});
		claims.take(OTHER, object);
		const remove = () => Promise.reject(new Error("deleted"));
		expect(await claims.end(object, remove)).toBe(OTHER);
		const isTaken = async () => void claims.take(OTHER, object);
		claims.release(ME, object);
		expect(await claims.end(object, remove, isTaken)).toBe(OTHER);
		claims.release(ME, object);
		const isRefused = () => isTaken().then(remove);
		await expect(claims.end(object, remove, isRefused)).rejects.toThrow("deleted");
		expect(claims.holder(object)).toBe(OTHER);
	});

	it("give a slot to the first that declares it, until that one declares another", () => {
		const claims = new Claims();
		const [a, b] = ["a", "b"].map((name) => ({ ...make.slot, name, folded: name }));
		claims.declare(ME, a);
		const declared = [claims.declare(ME, a), claims.declare(OTHER, a), claims.declare(OTHER, b)];
		expect([...declared, claims.declare("urn third", a)]).toEqual([undefined, ME, undefined, ME]);
		claims.declare(ME, undefined);
		const others = [claims.declare("urn third", undefined), claims.declare(OTHER, a), claims.declare(ME, b)];
		expect(others).toEqual([undefined, undefined, undefined]);
	});

	it("do not count a row as just read if its claim has changed since the look began", () => {
		const claims = new Claims();
		claims.readFor(OTHER, object, true);
		const seen = there(claims.of(object));
		const isSure = () => claims.occupants(make, [seen]).map(({ sure }) => sure);
		expect(isSure()).toEqual([true]);
		claims.release(OTHER, object);
		expect(isSure()).toEqual([false]);
		claims.keep(OTHER, object);
		expect([make, settings].map((who) => claims.occupants(who, [seen])[0]?.moves)).toEqual([true, false]);
	});
});
