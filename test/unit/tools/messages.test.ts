import { expect, test } from "vitest";
import { messages } from "../../../tools/wording/messages";

test("the list of messages has the comments of public names, and none that only contributors see", () => {
	const all = messages();
	const comments = all.filter(({ isReference }) => isReference);
	const inFile = (path: string) =>
		comments.filter(({ file }) => file === path).map(({ text }) => text);
	expect(inFile("src/resources/job.ts")).toContain(
		"The query's text. Give this or `file`.",
	);
	expect(inFile("src/schemas/wire/results.ts").length).toBeGreaterThan(10);
	expect(inFile("src/storage/builders.ts").length).toBeGreaterThan(3);
	// Exported by an entry point under these names alone.
	expect(inFile("src/lookups/place.ts")).toContain("Team to look in.");
	expect(
		inFile("src/lookups/place.ts").filter((text) => text.includes("plugin")),
	).toEqual([]);
	expect(inFile("src/resources/base.ts")).toEqual([]);
	expect(inFile("src/lookups/lookup.ts")).toEqual([]);
	// An internal constant of a public file.
	expect(
		inFile("src/resources/job.ts").filter((text) =>
			text.startsWith("Inputs that are undefined"),
		),
	).toEqual([]);
	expect(
		all.filter(({ file }) => file === "src/resources/base.ts").length,
	).toBeGreaterThan(3);
});
