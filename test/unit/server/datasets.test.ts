import { describe, expect, it } from "vitest";
import { addVersion, dependencyClosure, findDataset } from "../../../src/server/domain/datasets";
import { type DatasetRecord, emptyTeam } from "../../../src/server/state";

const dataset = (
	fullName: string,
	madeFrom: string[] = [],
	versions = ["1.0.0", "1.0.1"],
): DatasetRecord => ({
	fullName,
	madeFrom,
	query: "",
	versions: versions.map((version) => ({ version, jobId: "" })),
});

const team = {
	...emptyTeam("t"),
	datasets: [
		dataset("dev.a.top", ["dev.a.left", "dev.a.right"]),
		dataset("dev.a.left", ["dev.a.base"]),
		dataset("dev.a.right", ["dev.a.base", "gone.from.team"]),
		dataset("dev.a.base"),
		dataset("@user.default.base"),
		dataset("@user.default.mine", [], ["1.0.9"]),
		dataset("dev.a.new", [], []),
		dataset("dev.loop.one", ["dev.loop.two"]),
		dataset("dev.loop.two", ["dev.loop.one"]),
	],
};
const found = (reference: string) => {
	const { dataset: record, version } = findDataset(team, reference);
	return `${record.fullName}@${version}`;
};

describe("a dataset reference", () => {
	it.each([
		["dev.a.top", "dev.a.top@1.0.1"],
		["dev.a.top@1.0.0", "dev.a.top@1.0.0"],
		["@user.default.mine@1.0.9", "@user.default.mine@1.0.9"],
		["@user.default.mine", "@user.default.mine@1.0.9"],
		["mine", "@user.default.mine@1.0.9"],
		["a.left@v1.0.0", "dev.a.left@1.0.0"],
	])("%s means %s", (reference, meaning) => {
		expect(found(reference)).toBe(meaning);
	});

	it.each([
		["base", /could be any of dev\.a\.base, @user\.default\.base/],
		["nope", /no dataset "nope"/],
		["dev.a.top@2.0.0", /no version "2\.0\.0"\. It has: 1\.0\.0, 1\.0\.1/],
		["dev.a.new", /no version yet/],
		["  ", /no dataset name/],
		["@", /no dataset "@"/],
	])("%j is refused in words", (reference, words) => {
		expect(() => findDataset(team, reference)).toThrow(words);
	});
});

describe("what a dataset is made from", () => {
	const closure = (...names: string[]) =>
		dependencyClosure(
			team,
			names.map((name) => findDataset(team, name).dataset),
		).map((one) => one.fullName);

	it("comes before it, each once, even where it is needed twice", () => {
		expect(closure("dev.a.top", "dev.a.left")).toEqual([
			"dev.a.base",
			"dev.a.left",
			"dev.a.right",
			"dev.a.top",
		]);
	});

	it("may go in a circle without an end to the work", () => {
		expect(closure("dev.loop.one")).toEqual(["dev.loop.two", "dev.loop.one"]);
	});
});

it("a rebuilt dataset gets the next version, and a new one its first", () => {
	const own = { ...emptyTeam("t"), datasets: [dataset("a.b.c", [], ["1.4.9"]), dataset("a.b.d", [], [])] };
	expect(addVersion(own, "a.b.c", "job")).toBe("1.4.10");
	expect(addVersion(own, "a.b.d", "job")).toBe("1.0.0");
	expect(addVersion(own, "a.b.nope", "job")).toBeUndefined();
});
