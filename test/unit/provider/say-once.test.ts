import { expect, test, vi } from "vitest";
import { sayOnce } from "../../../src/provider/host/say-once";

test("what the host prints of an error that it also answers is left out, and nothing else", () => {
	const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
	const error = new Error("no");
	sayOnce(error);
	sayOnce(new Error("another"));
	// As the host does, for each operation that failed.
	for (let times = 0; times < 2; times++) console.error(`${error}: ${error.stack}`);
	console.error("something else");
	console.error(new Error("of somebody else"));
	expect(printed.mock.calls).toEqual([["something else"], [new Error("of somebody else")]]);
});
