import { expect, it, onTestFinished } from "vitest";
import { Board } from "../../src/board/board";
import { manualClock } from "../../src/server";
import { testServer } from "../helpers/server-harness";

// Before, at, just after and long after the time of its nightly schedule; in the morning and at midnight.
it.each(["00:00:00", "02:29:59", "02:30:00", "02:31:00", "02:50:00", "03:05:00", "11:20:00", "23:59:59"])(
	"the local server's own team on the board needs no attention at %s",
	async (time) => {
		const clock = manualClock(`2026-11-17T${time}Z`);
		const server = await testServer({ clock });
		const { url, token, teamName } = server;
		const board = new Board(
			{ baseUrl: `${url}/api`, token, teamName },
			{ service: url, now: () => clock.now() },
		);
		onTestFinished(() => board.close());
		const { rows, problem, now } = await board.answer(null);
		expect([problem, rows.schedules?.length, rows.attention]).toEqual([null, 1, []]);
		const ends = [...(rows.jobs ?? []), ...(rows.pipelines ?? [])].map(({ end }) => end ?? 0);
		expect(Math.max(...ends)).toBeLessThanOrEqual(now);
	},
);
