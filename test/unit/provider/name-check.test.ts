import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	type Candidate,
	checkName,
	decide,
	type NameRequest,
	type NameSearch,
	PATIENCE_MILLIS,
	PAUSE_MILLIS,
	previewName,
	type Verdict,
} from "../../../src/provider/run/name-check";
import { type ObjectRef, Owners } from "../../../src/provider/run/owners";

const ME = "urn me";
const OTHER = "urn other";
const request = (more: Partial<NameRequest> = {}): NameRequest => ({
	urn: ME,
	to: "create",
	kind: "PipelineSchedule",
	team: "ml",
	name: "a",
	inputs: {},
	adopts: false,
	adoptsEqual: false,
	...more,
});
const candidate = (more: Partial<Candidate<string>> = {}): Candidate<string> => ({
	id: "1",
	live: "live",
	equal: false,
	fits: true,
	...more,
});
const objectOf = ({ id }: Candidate<string>): ObjectRef => ({
	kind: "PipelineSchedule",
	team: "ml",
	id,
});
const text = (verdict: Verdict<string>): string =>
	verdict.do === "refuse" ? `refuse ${verdict.why} ${verdict.first.id}` : verdict.do;

const create = request();
const adopt = request({ adopts: true });
const adoptEqual = request({ adoptsEqual: true });
const theirs = candidate();
const equal = candidate({ equal: true });
const second = candidate({ id: "2" });

describe("a name that foreign objects have", () => {
	it.each<[string, NameRequest, readonly Candidate<string>[], string]>([
		["free", create, [], "proceed"],
		["free, for a rename", request({ to: "rename" }), [], "proceed"],
		["of a foreign object", create, [theirs], "refuse foreign 1"],
		["of an equal foreign object", create, [equal], "refuse foreign 1"],
		["with adopt", adopt, [theirs], "adopt"],
		[
			"with adopt, of an object that no request could make fit",
			adopt,
			[candidate({ fits: false })],
			"refuse unfit 1",
		],
		[
			"with adopt, of an object that cannot be read",
			adopt,
			[candidate({ fits: undefined })],
			"refuse unfit 1",
		],
		["with consent to equal objects, of an equal one", adoptEqual, [equal], "adopt"],
		[
			"with consent to equal objects, of another one",
			adoptEqual,
			[theirs],
			"refuse foreign 1",
		],
		[
			"without consent, of an object that does not fit",
			create,
			[candidate({ fits: false })],
			"refuse foreign 1",
		],
		["of several objects", create, [theirs, second], "refuse several 1"],
		["of several objects, with adopt", adopt, [theirs, second], "refuse several 1"],
		[
			"of several equal objects, with consent",
			adoptEqual,
			[equal, second],
			"refuse several 1",
		],
		[
			"for a rename with adopt",
			request({ to: "rename", adopts: true }),
			[theirs],
			"refuse foreign 1",
		],
		[
			"for a rename with consent to equal objects",
			request({ to: "rename", adoptsEqual: true }),
			[equal],
			"refuse foreign 1",
		],
		[
			"for a rename, of several objects",
			request({ to: "rename", adopts: true }),
			[second, theirs],
			"refuse foreign 2",
		],
	])("%s", (_, asking, foreign, verdict) => {
		expect(text(decide(asking, foreign))).toBe(verdict);
	});

	it("are all named in a refusal, and the adopted one in an adoption", () => {
		const all = [theirs, second];
		expect(decide(adopt, all)).toEqual({
			do: "refuse",
			why: "several",
			first: theirs,
			all,
		});
		expect(decide(adopt, [theirs])).toEqual({ do: "adopt", object: theirs });
	});

	const candidates = fc.uniqueArray(
		fc.record({
			id: fc.constantFrom("1", "2", "3"),
			live: fc.constant("live"),
			equal: fc.boolean(),
			fits: fc.constantFrom(true, false, undefined),
		}),
		{ selector: ({ id }) => id },
	);
	const requests = fc
		.record({
			to: fc.constantFrom("create" as const, "rename" as const),
			adopts: fc.boolean(),
			adoptsEqual: fc.boolean(),
		})
		.map(request);

	it("are never adopted without consent, nor by a rename, nor if they do not fit; nor is anything created beside them", () => {
		fc.assert(
			fc.property(requests, candidates, (asking, foreign) => {
				const verdict = decide(asking, foreign);
				if (foreign.length > 0) expect(verdict.do).not.toBe("proceed");
				if (verdict.do !== "adopt") return;
				expect(foreign).toEqual([verdict.object]);
				expect([asking.to, verdict.object.fits]).toEqual(["create", true]);
				expect(asking.adopts || (asking.adoptsEqual && verdict.object.equal)).toBe(
					true,
				);
			}),
		);
	});
});

/** A deployment whose time passes by sleeping only, with what happens in it at which time. */
function deployment(
	listed: () => readonly Candidate<string>[],
	details: Partial<NameSearch<string>> = {},
) {
	let now = 0;
	const owners = new Owners();
	const asked: string[] = [];
	const events: (readonly [at: number, happens: () => unknown])[] = [];
	const time = {
		now: () => now,
		sleep: async (millis: number) => {
			for (const [at, happens] of events) if (at > now && at <= now + millis) happens();
			now += millis;
			if (now > 60_000) throw new Error("It waits for ever.");
		},
	};
	const search: NameSearch<string> = {
		list: async (_, from) => {
			asked.push(`${from} at ${now}`);
			return listed();
		},
		detail: async (_, found) => {
			asked.push(`detail ${found.id} at ${now}`);
			return found;
		},
		...details,
	};
	return {
		owners,
		asked,
		at: (millis: number, happens: () => unknown) => void events.push([millis, happens]),
		check: async (asking: NameRequest) =>
			`${text(await checkName({ owners, time }, asking, search))} at ${now}`,
		preview: async (asking: NameRequest) =>
			text(await previewName({ owners }, asking, search)),
	};
}

describe("the check of a name before a create", () => {
	it("asks for one list if the name is free", async () => {
		const { check, asked } = deployment(() => []);
		expect(await check(create)).toBe("proceed at 0");
		expect(asked).toEqual(["recent at 0"]);
	});

	it("refuses a foreign object only after four seconds, and after a look at a fresh list", async () => {
		const { check, asked } = deployment(() => [theirs]);
		expect(await check(create)).toBe("refuse foreign 1 at 4000");
		const waits = Array.from(
			{ length: PATIENCE_MILLIS / PAUSE_MILLIS + 1 },
			(_, index) => `recent at ${index * 250}`,
		);
		expect(asked).toEqual([...waits, "now at 4000", "detail 1 at 4000"]);
	});

	it("goes on as soon as a resource of this deployment has the object, or its delete is done", async () => {
		const kept = deployment(() => [theirs]);
		kept.at(1_000, () =>
			kept.owners.keep({ urn: OTHER, stateUrn: OTHER }, objectOf(theirs)),
		);
		expect(await kept.check(create)).toBe("proceed at 1000");
		const deleted = deployment(() => [theirs]);
		deleted.at(500, () => deleted.owners.release(objectOf(theirs)));
		expect(await deleted.check(create)).toBe("proceed at 500");
	});

	it("refuses the one of two objects that stays foreign", async () => {
		const { check, owners } = deployment(() => [theirs, second]);
		owners.keep({ urn: OTHER, stateUrn: OTHER }, objectOf(theirs));
		expect(await check(create)).toBe("refuse foreign 2 at 4000");
	});

	it("proceeds if only the old list had the object, or a request of its own does not find it", async () => {
		let isLate = false;
		const late = deployment(() => (isLate ? [] : [theirs]));
		late.at(4_000, () => {
			isLate = true;
		});
		expect(await late.check(create)).toBe("proceed at 4000");
		const gone = deployment(() => [theirs], { detail: async () => undefined });
		expect(await gone.check(create)).toBe("proceed at 4000");
		expect(
			await deployment(() => [theirs], { detail: async () => undefined }).check(adopt),
		).toBe("proceed at 0");
	});

	it("takes at once what it adopts, and judges it by a request of its own", async () => {
		const adopting = deployment(() => [theirs], { detail: async () => equal });
		expect(await adopting.check(adoptEqual)).toBe("adopt at 0");
		expect(adopting.owners.of(objectOf(theirs))).toMatchObject({
			urn: ME,
			since: "deployment",
		});
	});

	it("takes nothing that it does not adopt", async () => {
		const { check, owners } = deployment(() => [theirs]);
		await check(adoptEqual);
		await check(request({ to: "rename", adopts: true }));
		expect(owners.of(objectOf(theirs))).toBeUndefined();
	});

	it("asks for no object before the last look if the verdict cannot be an adoption", async () => {
		const { check, asked } = deployment(() => [theirs]);
		await check(request({ to: "rename", adopts: true, adoptsEqual: true }));
		expect(asked.filter((each) => each.startsWith("detail"))).toEqual([
			"detail 1 at 4000",
		]);
	});

	it("looks once at the start and once at the end for an equal object, not with each pause", async () => {
		const { check, asked } = deployment(() => [theirs]);
		expect(await check(adoptEqual)).toBe("refuse foreign 1 at 4000");
		expect(asked.filter((each) => each.startsWith("detail"))).toEqual([
			"detail 1 at 0",
			"detail 1 at 4000",
		]);
	});

	it("looks again if another provider process was faster to take what it would adopt", async () => {
		let takes = 0;
		const shared = {
			of: () =>
				takes > 1 ? ({ urn: OTHER, since: "deployment" } as const) : undefined,
			add: () => {
				takes += 1;
				return false;
			},
		};
		const owners = new Owners(shared as never);
		let now = 0;
		const time = {
			now: () => now,
			sleep: async (millis: number) => {
				now += millis;
			},
		};
		const search: NameSearch<string> = {
			list: async () => [theirs],
			detail: async (_, found) => found,
		};
		expect(text(await checkName({ owners, time }, adopt, search))).toBe("proceed");
		expect([takes, now]).toEqual([2, 2 * PAUSE_MILLIS]);
	});
});

describe("the verdict of a preview", () => {
	it.each<[string, NameRequest, string]>([
		["a create", create, "refuse foreign 1"],
		["an adoption", adopt, "adopt"],
		["an adoption of equal objects", adoptEqual, "refuse foreign 1"],
	])("of %s comes without a wait, from a recent list", async (_, asking, verdict) => {
		const { preview, asked } = deployment(() => [theirs]);
		expect(await preview(asking)).toBe(verdict);
		expect(asked).toEqual(["recent at 0", "detail 1 at 0"]);
	});

	it("promises no adoption of an object that cannot be read", async () => {
		const { preview } = deployment(() => [theirs], { detail: async () => undefined });
		expect(await preview(adopt)).toBe("refuse unfit 1");
	});

	it("counts what a resource has, or takes while it looks, as none of others", async () => {
		const { preview, owners } = deployment(() => [theirs]);
		owners.keep({ urn: OTHER, stateUrn: OTHER }, objectOf(theirs));
		expect(await preview(create)).toBe("proceed");
		const racing = deployment(() => [theirs], {
			detail: async (_, found) => {
				racing.owners.take(OTHER, objectOf(found));
				return found;
			},
		});
		expect(await racing.preview(create)).toBe("proceed");
	});

	it("takes nothing", async () => {
		const { preview, owners } = deployment(() => [theirs]);
		await preview(adopt);
		expect(owners.of(objectOf(theirs))).toBeUndefined();
	});
});
