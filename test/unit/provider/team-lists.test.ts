import { describe, expect, it } from "vitest";
import type { DataChainClient } from "../../../src/client";
import { teamLists } from "../../../src/provider/run/team-lists";

describe("the list of a kind that has none of its own", () => {
	const setUp = () => {
		let now = 0;
		const asked: string[] = [];
		const time = { now: () => now, sleep: async () => {} };
		const lists = teamLists({} as DataChainClient, time);
		const load = async (team: string) => [...asked, asked.push(team)];
		const list = (team = "ml") => lists.of("listClusters", load)(team);
		const pass = (millis: number) => {
			now += millis;
		};
		return { asked, lists, list, pass };
	};

	it("is loaded once for all who ask together, for each team", async () => {
		const { asked, list } = setUp();
		await Promise.all([list(), list(), list("audio"), list()]);
		expect(asked).toEqual(["ml", "audio"]);
	});

	it("is loaded anew after a write to the team, and after a pause", async () => {
		const { asked, lists, list, pass } = setUp();
		await list();
		lists.drop("ml");
		await list();
		pass(10_000);
		await list();
		expect(asked).toEqual(["ml", "ml", "ml"]);
	});
});
