import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Lifetime } from "../../../src/provider/hosts/plugin/engine";

const interrupts: (() => void)[] = [];
const exit = vi.fn();
let lifetime: Lifetime;

beforeEach(() => {
	interrupts.length = 0;
	exit.mockReset();
	vi.useFakeTimers();
	vi.spyOn(process, "on").mockImplementation((event, listener) => {
		if (event === "SIGINT") interrupts.push(listener as () => void);
		return process;
	});
	lifetime = new Lifetime(exit);
});
afterEach(() => {
	vi.useRealTimers();
	vi.restoreAllMocks();
});

const interrupt = () => {
	for (const listener of interrupts) listener();
};

test("an interrupt right after the last answer leaves that answer time to go out", async () => {
	await lifetime.during(async () => "answer");
	interrupt();
	expect(exit).not.toHaveBeenCalled();
	vi.advanceTimersByTime(1_000);
	expect(exit).toHaveBeenCalledOnce();
});

test("an interrupt lets what is under way come to its end", async () => {
	let finish = () => {};
	const work = lifetime.during(
		() => new Promise<void>((resolve) => (finish = resolve)),
	);
	interrupt();
	vi.advanceTimersByTime(60_000);
	expect(exit).not.toHaveBeenCalled();
	finish();
	await work;
	vi.advanceTimersByTime(1_000);
	expect(exit).toHaveBeenCalledOnce();
});
