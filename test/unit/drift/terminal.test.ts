import { describe, expect, it } from "vitest";
import { makeProgress, wantsColor } from "../../../src/cli/terminal";

function stream(isTTY: boolean) {
	const written: string[] = [];
	return { isTTY, written, write: (text: string) => written.push(text) };
}

describe("the terminal", () => {
	it.each([
		["on a terminal", true, {}, true],
		["in a pipe", false, {}, false],
		["with NO_COLOR", true, { NO_COLOR: "1" }, false],
		["with an empty NO_COLOR, which means nothing", true, { NO_COLOR: "" }, true],
		["on a dumb terminal", true, { TERM: "dumb" }, false],
	])("%s", (_where, isTTY, env, expected) => {
		expect(wantsColor(stream(isTTY), env)).toBe(expected);
	});

	it("shows progress that leaves no trace, and none at all in a pipe", () => {
		const [terminal, pipe] = [stream(true), stream(false)];
		for (const each of [terminal, pipe]) {
			const progress = makeProgress(each);
			progress.show("Reading…");
			progress.clear();
		}
		expect(terminal.written).toEqual(["\r\u001b[KReading…", "\r\u001b[K"]);
		expect(pipe.written).toEqual([]);
	});
});
