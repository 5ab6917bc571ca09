import { describe, expect, it } from "vitest";
import { type ObjectRef, Ownership, type Slot } from "../../../src/provider/ownership";
import type { Time } from "../../../src/provider/time";

const [A, B, C] = ["urn A", "urn B", "urn C"];
const object = (id: string, team = "ml"): ObjectRef => ({ kind: "PipelineSchedule", team, id });
const slot = (name: string, team = "ml"): Slot => ({ kind: "PipelineSchedule", team, name });
const nothing = async () => {};
/** Time in which nobody wakes up. */
const still: Time = { now: () => 0, sleep: () => new Promise(() => {}) };

describe("the places that a program declares", () => {
	it("have one resource each, and name the one that came first", () => {
		const ownership = new Ownership();
		expect(ownership.declare(A, slot("a"))).toBeUndefined();
		expect(ownership.declare(B, slot("a"))).toBe(A);
		expect(ownership.declare(C, slot("a", "other"))).toBeUndefined();
		expect(ownership.declare(C, { ...slot("a"), kind: "PipelineSettings" })).toBeUndefined();
	});

	it("are declared twice by one resource on a replacement, which is no clash", () => {
		const ownership = new Ownership();
		ownership.declare(A, slot("a"));
		expect(ownership.declare(A, slot("a"))).toBeUndefined();
	});

	it("are free again when their resource declares another one", () => {
		const ownership = new Ownership();
		ownership.declare(A, slot("a"));
		ownership.declare(A, slot("b"));
		expect(ownership.declare(B, slot("a"))).toBeUndefined();
	});

	it("need not be known: a resource is declared all the same", () => {
		const ownership = new Ownership();
		expect(ownership.isDeclared(A)).toBe(false);
		expect(ownership.declare(A, undefined)).toBeUndefined();
		expect(ownership.isDeclared(A)).toBe(true);
	});
});

describe("taking an object", () => {
	it("needs that nothing in this run has spoken for it", () => {
		const ownership = new Ownership();
		expect(ownership.fate(object("1"))).toEqual({ is: "unknown", ours: false });
		expect(ownership.take(A, object("1"))).toBe(true);
		expect(ownership.holder(object("1"))).toBe(A);
		expect(ownership.take(A, object("1"))).toBe(true);
	});

	it.each<[string, (ownership: Ownership) => void]>([
		["another resource took", (ownership) => void ownership.take(B, object("1"))],
		["another resource keeps from its state", (ownership) => ownership.keep(B, object("1"))],
		["another resource's replacement will delete", (ownership) => ownership.leave(B, object("1"))],
		["this resource's own replacement will delete", (ownership) => ownership.leave(A, object("1"))],
		["is being deleted", (ownership) => ownership.deleting(object("1"))],
		["was deleted", (ownership) => ownership.deleteEnded(object("1"), "gone")],
		["could not be deleted", (ownership) => ownership.deleteEnded(object("1"), "stuck")],
	])("is refused for what %s", (_, before) => {
		const ownership = new Ownership();
		before(ownership);
		const [fate, holder] = [ownership.fate(object("1")), ownership.holder(object("1"))];
		expect(ownership.take(A, object("1"))).toBe(false);
		expect(ownership.fate(object("1"))).toEqual(fate);
		expect(ownership.holder(object("1"))).toBe(holder);
	});

	it("is possible again for what cannot be deleted, once it was let go, and never while another holds it", () => {
		const ownership = new Ownership();
		ownership.deleteEnded(object("p1"), "gone");
		expect(ownership.take(A, object("p1"), true)).toBe(true);
		expect(ownership.take(B, object("p1"), true)).toBe(false);
	});

	it("tells objects of other teams and kinds apart", () => {
		const ownership = new Ownership();
		ownership.take(A, object("1"));
		expect(ownership.take(B, object("1", "other"))).toBe(true);
		expect(ownership.take(B, { ...object("1"), kind: "PipelineSettings" })).toBe(true);
	});
});

describe("the fate of what is held", () => {
	it("says by whom, where that one is going, and whether it has arrived", () => {
		const ownership = new Ownership();
		ownership.declare(A, slot("b"));
		ownership.keep(A, object("1"));
		expect(ownership.fate(object("1"))).toEqual({ is: "held", by: A, slot: slot("b"), written: "not yet" });
		ownership.settle(object("1"), "done");
		expect(ownership.fate(object("1"))).toMatchObject({ written: "done" });
	});

	it("is to leave once a replacing diff was answered, and gone after the delete", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("1"));
		ownership.leave(A, object("1"));
		expect(ownership.fate(object("1"))).toEqual({ is: "leaving", by: A, started: false });
		ownership.deleting(object("1"));
		expect(ownership.fate(object("1"))).toEqual({ is: "leaving", by: A, started: true });
		ownership.deleteEnded(object("1"), "gone");
		expect(ownership.fate(object("1"))).toEqual({ is: "gone" });
	});

	it("is stuck where the delete failed", () => {
		const ownership = new Ownership();
		ownership.deleting(object("1"));
		ownership.deleteEnded(object("1"), "stuck");
		expect(ownership.fate(object("1"))).toEqual({ is: "stuck" });
	});
});

describe("a delete that arrives", () => {
	it("is its own where nobody holds the object: it was removed from the program", () => {
		expect(new Ownership().heldAgainst(object("1"), nothing)).toBeUndefined();
	});

	it("is its own once the object is to leave", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("1"));
		ownership.leave(A, object("1"));
		expect(ownership.heldAgainst(object("1"), nothing)).toBeUndefined();
	});

	it("does nothing to what was made or taken in this run, after an update of it neither, and is not done later", () => {
		const ownership = new Ownership();
		ownership.take(A, object("1"));
		expect(ownership.heldAgainst(object("1"), nothing)).toBe(A);
		ownership.keep(A, object("1"));
		expect(ownership.heldAgainst(object("1"), nothing)).toBe(A);
		expect(ownership.replaced(A)).toEqual([]);
		expect(ownership.holder(object("1"))).toBe(A);
	});

	it("waits where a diff kept the object, and is done when the resource that kept it is made anew", async () => {
		const ownership = new Ownership();
		const done: string[] = [];
		ownership.keep(A, object("1"));
		expect(ownership.heldAgainst(object("1"), async () => void done.push("deleted"))).toBe(A);
		expect(ownership.replaced(B)).toEqual([]);
		expect(done).toEqual([]);
		for (const finish of ownership.replaced(A)) await finish();
		expect(done).toEqual(["deleted"]);
	});
});

describe("a create of a resource that the state already has", () => {
	it("means that what it kept is leaving, and leaves alone what it took in this run and what others hold", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("kept"));
		ownership.take(A, object("taken"));
		ownership.keep(B, object("theirs"));
		expect(ownership.replaced(A)).toEqual([]);
		expect(ownership.fate(object("kept"))).toEqual({ is: "leaving", by: A, started: false });
		expect(ownership.holder(object("taken"))).toBe(A);
		expect(ownership.holder(object("theirs"))).toBe(B);
	});
});

describe("waiting", () => {
	it("is worth it while whoever has the object does not wait in turn", () => {
		const ownership = new Ownership();
		ownership.keep(B, object("b"));
		expect(ownership.await(A, object("b"))).toBe(true);
		expect(ownership.await(A, object("of nobody"))).toBe(true);
	});

	it("would be for ever in a ring of two, of three, and alone", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("a"));
		ownership.keep(B, object("b"));
		ownership.leave(C, object("c"));
		expect(ownership.await(A, object("b"))).toBe(true);
		expect(ownership.await(B, object("c"))).toBe(true);
		expect(ownership.await(C, object("a"))).toBe(false);
		expect(ownership.await(B, object("a"))).toBe(false);
		expect(ownership.await(A, object("a"))).toBe(false);
	});

	it("is not for ever behind a ring of others, which they end themselves", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("a"));
		ownership.keep(B, object("b"));
		ownership.await(A, object("b"));
		ownership.await(B, object("a"));
		expect(ownership.await(C, object("a"))).toBe(true);
	});

	it("ends a ring when one of them is done waiting", () => {
		const ownership = new Ownership();
		ownership.keep(A, object("a"));
		ownership.keep(B, object("b"));
		ownership.await(B, object("a"));
		ownership.doneWaiting(B);
		expect(ownership.await(A, object("b"))).toBe(true);
	});

	it.each<[string, (ownership: Ownership) => void]>([
		["a declaration", (ownership) => void ownership.declare(A, slot("a"))],
		["an object that is kept", (ownership) => ownership.keep(A, object("1"))],
		["one that is taken", (ownership) => void ownership.take(A, object("1"))],
		["one that will leave", (ownership) => ownership.leave(A, object("1"))],
		["one that has its new name", (ownership) => ownership.settle(object("1"), "done")],
		["a delete that begins", (ownership) => ownership.deleting(object("1"))],
		["a delete that ends", (ownership) => ownership.deleteEnded(object("1"), "gone")],
		["a replacement", (ownership) => void ownership.replaced(A)],
	])("hears of %s", async (_, happens) => {
		const ownership = new Ownership();
		const heard = ownership.news(still, 1_000);
		happens(ownership);
		await heard;
	});

	it("ends after its time where there are no news", async () => {
		const slept: number[] = [];
		await new Ownership().news({ now: () => 0, sleep: async (millis) => void slept.push(millis) }, 250);
		expect(slept).toEqual([250]);
	});
});
