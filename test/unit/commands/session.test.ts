import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { NotFoundError } from "../../../src/api";
import type { CallFacts } from "../../../src/api/errors";
import { askEach } from "../../../src/commands/session";

it("what is asked for one by one is answered in the order of the list, without what is gone", async () => {
	const gone = new NotFoundError({ what: "get", teamName: "ml", namesObject: true } as CallFacts, {
		status: 404,
		serverMessage: "none",
	});
	const found = await askEach("jobs", [20, 0, 10, 5], async (millis) => {
		await sleep(millis);
		if (millis === 10) throw gone;
		return millis;
	});
	expect(found).toEqual([20, 0, 5]);
});
