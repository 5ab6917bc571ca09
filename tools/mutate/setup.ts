import { beforeEach } from "vitest";

/** Tests that measure the process they run in: the mutation run has memory of its own there, and slows every line. */
const unfit = /flat memory|takes no longer than its length/;

beforeEach(({ task, skip }) => {
	if (unfit.test(task.name)) skip();
});
