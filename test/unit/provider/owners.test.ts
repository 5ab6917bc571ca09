import { beforeEach, describe, expect, it } from "vitest";
import { type NameRef, type ObjectRef, Owners } from "../../../src/provider/run/owners";

const A = { urn: "urn A", stateUrn: "urn A" };
const B = { urn: "urn B", stateUrn: "urn B" };
const object: ObjectRef = { kind: "PipelineSchedule", team: "ml", id: "7" };
const name: NameRef = { kind: "PipelineSchedule", team: "ml", folded: "nightly" };

let owners: Owners;
beforeEach(() => {
	owners = new Owners();
});

describe("an object", () => {
	it("that the state has, though no resource of the program has been declared with it, may be released", () => {
		expect(owners.mayBeReleased(object)).toBe(false);
		owners.noteInState(object);
		expect([owners.mayBeReleased(object), owners.isForeign(object)]).toEqual([
			true,
			true,
		]);
		expect(owners.mayBeReleased({ ...object, id: "8" })).toBe(false);
	});

	it("is foreign until a resource has it", () => {
		expect([owners.isForeign(object), owners.of(object)]).toEqual([true, undefined]);
		expect(owners.keep(A, object)).toBe(true);
		expect(owners.isForeign(object)).toBe(false);
		expect(owners.of(object)).toEqual({ ...A, since: "state" });
	});

	it("that one resource keeps is neither kept nor taken by another", () => {
		owners.keep(A, object);
		expect([owners.keep(B, object), owners.take(B.urn, object)]).toEqual([
			false,
			false,
		]);
		expect(owners.of(object)?.urn).toBe(A.urn);
	});

	it("that one resource took is neither kept nor taken by another", () => {
		expect(owners.take(A.urn, object)).toBe(true);
		expect([owners.keep(B, object), owners.take(B.urn, object)]).toEqual([
			false,
			false,
		]);
		expect(owners.of(object)).toEqual({ urn: A.urn, since: "deployment" });
	});

	it("that its own resource took stays taken if its update keeps it", () => {
		owners.take(A.urn, object);
		expect(owners.keep(A, object)).toBe(true);
		expect(owners.of(object)?.since).toBe("deployment");
	});

	it("that its own resource kept may be taken by it, as by a replacement that adopts it", () => {
		owners.keep(A, object);
		expect(owners.take(A.urn, object)).toBe(true);
		expect(owners.of(object)?.since).toBe("deployment");
	});

	it.each<[string, ObjectRef]>([
		["kind", { ...object, kind: "Job" }],
		["team", { ...object, team: "audio" }],
		["id", { ...object, id: "8" }],
	])("of another %s is another one", (_, other) => {
		owners.keep(A, object);
		owners.release(other);
		expect(owners.take(B.urn, other)).toBe(true);
		expect(owners.of(object)?.urn).toBe(A.urn);
	});
});

describe("an object that was deleted", () => {
	it("is not foreign, though a list may still show it, and has no owner", () => {
		owners.keep(A, object);
		owners.release(object);
		expect([
			owners.isForeign(object),
			owners.isReleased(object),
			owners.of(object),
		]).toEqual([false, true, undefined]);
	});

	it("gives its id to the next one that the service makes", () => {
		owners.keep(A, object);
		owners.release(object);
		expect(owners.take(B.urn, object)).toBe(true);
		expect(owners.of(object)?.urn).toBe(B.urn);
	});

	it("is not one that nobody deleted", () => {
		expect(owners.isReleased(object)).toBe(false);
	});
});

describe("the delete of an object", () => {
	const blocked = (caller: Parameters<Owners["blocksDelete"]>[0]) =>
		owners.blocksDelete(caller, object)?.urn;

	it("is free if no resource has the object, or the resource itself still has it from the state", () => {
		expect(blocked(A)).toBeUndefined();
		owners.keep(A, object);
		expect(blocked(A)).toBeUndefined();
	});

	it("is blocked if another resource has the object, from the state or by adoption", () => {
		owners.keep(B, object);
		expect(blocked(A)).toBe(B.urn);
		owners = new Owners();
		owners.take(B.urn, object);
		expect(blocked(A)).toBe(B.urn);
	});

	it("is blocked if the resource's own replacement adopted the object", () => {
		owners.keep(A, object);
		owners.take(A.urn, object);
		expect(blocked(A)).toBe(A.urn);
	});

	it("is free for a replaced resource whose program gave it another name, by the URN of the state", () => {
		owners.keep({ urn: "urn new", stateUrn: "urn old" }, object);
		expect(blocked({ urn: "urn old", stateUrn: "urn old" })).toBeUndefined();
		expect(blocked({ urn: "urn third", stateUrn: "urn third" })).toBe("urn new");
	});

	it("of a state without a URN is blocked by an owner that has none in the state either", () => {
		owners.keep({ urn: B.urn, stateUrn: undefined }, object);
		expect(blocked({ urn: A.urn, stateUrn: undefined })).toBe(B.urn);
	});
});

describe("a name", () => {
	it("belongs to the first resource that declares it, which may declare it again", () => {
		expect([
			owners.declare(A, name),
			owners.declare(A, name),
			owners.declare(B, name),
		]).toEqual([undefined, undefined, A.urn]);
	});

	it.each<[string, NameRef]>([
		["kind", { ...name, kind: "PipelineSettings" }],
		["team", { ...name, team: "audio" }],
		["text", { ...name, folded: "weekly" }],
	])("of another %s is another one", (_, other) => {
		owners.declare(A, name);
		expect(owners.declare(B, other)).toBeUndefined();
	});

	it("that is the text of an id is no object", () => {
		owners.declare(A, { ...name, folded: "7" });
		expect(owners.take(B.urn, object)).toBe(true);
	});
});

describe("a refresh", () => {
	it("tells the second resource that has an object in the state, and the first one nothing", () => {
		expect([
			owners.readFor(A.urn, object),
			owners.readFor(A.urn, object),
			owners.readFor(B.urn, object),
		]).toEqual([undefined, undefined, A.urn]);
		expect(owners.readFor(B.urn, { ...object, id: "8" })).toBeUndefined();
	});

	it("makes nobody an owner: the program may no longer have the resource", () => {
		owners.readFor(A.urn, object);
		expect(owners.isForeign(object)).toBe(true);
	});
});

describe("a delete of one of two entries that a resource has in the state", () => {
	const [older, newer] = [
		{ ...A, madeAt: 1 },
		{ ...A, madeAt: 2 },
	];

	it("leaves the object to the entry that the program continues", () => {
		owners.keep(newer, object);
		expect(owners.blocksDelete(older, object)?.urn).toBe(A.urn);
		expect(owners.blocksDelete(newer, object)).toBeUndefined();
	});

	it("deletes it if nobody told which entry the program continues", () => {
		owners.keep(A, object);
		expect(owners.blocksDelete(older, object)).toBeUndefined();
	});
});
