import { afterEach, describe, expect, it } from "vitest";
import { showDeclaringFrameOnly } from "../../../src/resources/traces";

const usual = Error.prepareStackTrace;

describe("stack traces while a resource is declared", () => {
	afterEach(() => {
		Error.prepareStackTrace = usual;
	});

	it("of the program's own errors keep all their frames", () => {
		const showAllFrames = showDeclaringFrameOnly();
		const own = () => new Error("own").stack;
		const during = own();
		showAllFrames();
		expect(during).toContain("declaring-frame.test.ts");
		expect(during?.split("\n").length).toBeGreaterThan(3);
	});

	it("are as before once it is declared", () => {
		const mine = () => "mine";
		Error.prepareStackTrace = mine;
		showDeclaringFrameOnly()();
		expect(Error.prepareStackTrace).toBe(mine);
	});

	it("of an error made meanwhile and read later are whole", () => {
		const showAllFrames = showDeclaringFrameOnly();
		const error = new Error("read later");
		showAllFrames();
		expect(error.stack).toContain("declaring-frame.test.ts");
	});
});
