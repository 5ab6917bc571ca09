import { beforeEach } from "vitest";

/** Tests that measure the process they run in; the mutation run has its own memory in the same process. */
const unfit = /flat memory/;

beforeEach(({ task, skip }) => {
	if (unfit.test(task.name)) skip();
});
