import { afterEach, expect, test, vi } from "vitest";
import { progress } from "../../../src/commands/progress";

const wasTerminal = process.stderr.isTTY;
afterEach(() => {
	progress.clear();
	process.stderr.isTTY = wasTerminal;
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
});

function written(terminal: string): string[] {
	vi.stubEnv("TERM", terminal);
	process.stderr.isTTY = true;
	const lines: string[] = [];
	vi.spyOn(process.stderr, "write").mockImplementation((text) => {
		lines.push(String(text));
		return true;
	});
	return lines;
}

test("a line of progress is cleared once, and nothing is written where there was none", () => {
	const lines = written("xterm");
	progress.clear();
	progress.step("Reading the stack…");
	progress.clear();
	progress.clear();
	expect(lines).toEqual(["\r\u001b[KReading the stack…", "\r\u001b[K"]);
});

test("a dumb terminal, which cannot clear a line, gets no progress at once", () => {
	const lines = written("dumb");
	progress.step("Reading the stack…");
	progress.count("Reading schedules", 1, 2);
	progress.clear();
	expect(lines).toEqual([]);
});
