import { beforeEach } from "vitest";

/** Tests that measure memory or time: the mutation run has memory of its own there, and slows every line. */
const unfit = /flat memory|takes? no longer (than its length|in a text)/;

beforeEach(({ task, skip }) => {
	if (unfit.test(task.name)) skip();
});
