import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { NotFoundError } from "../../../src/client";
import type { CallFacts } from "../../../src/client/errors";
import { askEach, warnOnce } from "../../../src/commands/session";
import { printedBy } from "../../helpers/printed";

/** A failure of one request of several. */
function notFound(requestId = "1", attempts = 1): NotFoundError {
	const call = {
		action: "get the job",
		method: "GET",
		path: "/x/",
		teamName: "ml",
		namesObject: true,
	};
	const facts = { ...call, requestId, attempts, receivedBefore: false } as CallFacts;
	return new NotFoundError(facts, { status: 404, serverMessage: "none" });
}

it("what is asked for one by one is answered in the order of the list, without what is gone", async () => {
	const found = await askEach("jobs", [20, 0, 10, 5], async (millis) => {
		await sleep(millis);
		if (millis === 10) throw notFound();
		return millis;
	});
	expect(found).toEqual([20, 0, 5]);
});

it("a warning that is said once is not said again for another request that failed in the same way", async () => {
	const all = [notFound("1"), notFound("2"), notFound("3", 5)];
	const { stderr } = await printedBy(() =>
		all.forEach(({ message }) => void warnOnce(message)),
	);
	expect(stderr).toBe(`warning: ${all[0]?.message}\n`);
});
