import { expect, onTestFinished, test, vi } from "vitest";

test("what the host prints of an error that it also answers is left out, and nothing else", async () => {
	const usual = console.error;
	onTestFinished(() => {
		console.error = usual;
	});
	const printed = vi.fn();
	console.error = printed;
	// Of its own, because it listens once, to the console that it finds.
	vi.resetModules();
	const { sayOnce } = await vi.importActual<typeof import("../../../src/provider/host/say-once")>(
		"../../../src/provider/host/say-once",
	);
	const error = new Error("no");
	sayOnce(error);
	sayOnce(new Error("another"));
	// As the host does, for each operation that failed.
	for (let times = 0; times < 2; times++) console.error(`${error}: ${error.stack}`);
	console.error("something else");
	console.error(new Error("of somebody else"));
	expect(printed.mock.calls).toEqual([["something else"], [new Error("of somebody else")]]);
});
