import { expect, test } from "vitest";
import { isActiveJobStatus, isFinishedJobStatus } from "../../../src/schemas/job";
import { hasEnded, isPausedPipeline } from "../../../src/schemas/pipeline-status";

test.each([
	["COMPLETE", { finished: true, active: false }],
	["FAILED", { finished: true, active: false }],
	["canceled", { finished: true, active: false }],
	// A scheduled task was made of it.
	["TASK", { finished: true, active: false }],
	["CREATED", { finished: false, active: true }],
	["SCHEDULED", { finished: false, active: true }],
	["queued", { finished: false, active: true }],
	["INIT", { finished: false, active: true }],
	["Running", { finished: false, active: true }],
	["CANCELING_SCHEDULED", { finished: false, active: true }],
	["CANCELING", { finished: false, active: true }],
	// A status that the service learned later is neither.
	["RESTING", { finished: false, active: false }],
	["", { finished: false, active: false }],
])("a job that is %j", (status, { finished, active }) => {
	expect([isFinishedJobStatus(status), isActiveJobStatus(status)]).toEqual([finished, active]);
});

test.each([
	["COMPLETED", { ended: true, paused: false }],
	["failed", { ended: true, paused: false }],
	["CANCELED", { ended: true, paused: false }],
	["PAUSED", { ended: false, paused: true }],
	["Paused", { ended: false, paused: true }],
	["RUNNING", { ended: false, paused: false }],
	["", { ended: false, paused: false }],
	[null, { ended: false, paused: false }],
	[undefined, { ended: false, paused: false }],
])("a pipeline that is %j", (status, { ended, paused }) => {
	expect([hasEnded({ status }), isPausedPipeline({ status })]).toEqual([ended, paused]);
});

test("a pipeline that is not there is not paused", () => {
	expect([isPausedPipeline(null), isPausedPipeline(undefined)]).toEqual([false, false]);
});
