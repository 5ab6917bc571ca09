import { expect, test } from "vitest";
import { isActiveJobStatus, isFinishedJobStatus } from "../../../src/schemas/job";
import { hasEnded, isPausedPipeline } from "../../../src/schemas/pipeline-status";

const ACTIVE = "CREATED SCHEDULED queued INIT Running CANCELING_SCHEDULED CANCELING";
// A scheduled task was made of a job with the last one.
const FINISHED = "COMPLETE FAILED canceled TASK";

test.each([
	["finished", FINISHED.split(" "), [true, false]],
	["active", ACTIVE.split(" "), [false, true]],
	["neither, where the service learned it later", ["RESTING", ""], [false, false]],
])("a job is %s", (_, statuses, found) => {
	for (const status of statuses)
		expect([status, isFinishedJobStatus(status), isActiveJobStatus(status)]).toEqual([
			status,
			...found,
		]);
});

test.each([
	["ended", ["COMPLETED", "failed", "CANCELED"], [true, false]],
	["paused", ["PAUSED", "Paused"], [false, true]],
	["neither", ["RUNNING", "", null, undefined], [false, false]],
])("a pipeline is %s", (_, statuses, found) => {
	for (const status of statuses)
		expect([status, hasEnded({ status }), isPausedPipeline({ status })]).toEqual([
			status,
			...found,
		]);
});

test("a pipeline that is not there is not paused", () => {
	expect([isPausedPipeline(null), isPausedPipeline(undefined)]).toEqual([false, false]);
});
