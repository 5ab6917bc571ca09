import { expect, it, onTestFinished, vi } from "vitest";
import { Board } from "../../../src/board/board";
import { newJob } from "../../../src/server/state";
import { eventually, seededServer } from "../../helpers/server-harness";
import { connectionTo } from "../../helpers/verify-run";

const NOW = Date.parse("2026-03-04T12:05:00Z");
const jobs = (count: number) =>
	Array.from({ length: count }, (_, index) =>
		newJob({
			created_at: "2026-02-20T00:00:00Z",
			created_by: "data-eng",
			id: `j${index}`,
			name: "a.py",
			query: "1",
			status: "COMPLETE",
		}),
	);

it("starts no reading while the older jobs are being read", async () => {
	const server = await seededServer({ jobs: jobs(3_000) }, { now: NOW, faults: true });
	const board = new Board(connectionTo(server), {
		service: server.url,
		now: () => NOW,
	});
	onTestFinished(() => board.close());
	vi.useFakeTimers({ toFake: ["Date"], now: NOW });
	onTestFinished(() => void vi.useRealTimers());
	const lists = () => server.requests.count({ endpoint: "listJobs" });
	server.faults.add({
		kind: "delay",
		endpoint: "listJobs",
		skip: 1,
		ms: 500,
		times: 1,
	});
	const shown = async () => (await board.answer(null)).rows.jobs?.length;
	expect(await shown()).toBe(2_000);
	vi.setSystemTime(NOW + 3_600_000);
	board.refresh();
	const mostShown = await eventually(async () => {
		const count = await shown();
		return count === 3_000 ? count : undefined;
	});
	expect([mostShown, lists()]).toEqual([3_000, 2]);
});
