import { expect, it } from "vitest";
import { RequestLog } from "../../../src/server/request-log";

it("the local server's log counts also the requests that it has forgotten, so that no long run miscounts", () => {
	const log = new RequestLog();
	const request = { method: "GET", path: "/", query: "" };
	for (let count = 0; count < 20_001; count += 1)
		log.begin({ ...request, endpoint: "getSchedule" })(200);
	log.begin({ ...request, endpoint: undefined })(404);
	expect(log.entries).toHaveLength(20_000);
	expect([
		log.count(),
		log.count({ endpoint: "getSchedule" }),
		log.count({ endpoint: undefined }),
	]).toEqual([20_002, 20_001, 1]);
	log.clear();
	expect(log.count()).toBe(0);
});
