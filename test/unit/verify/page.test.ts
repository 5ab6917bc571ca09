import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { assumptionIds, assumptionOf } from "../../../src/verify/table";
import { assumptionsFile, assumptionsPage } from "../../../tools/assumptions/main";

it("the page of assumptions is what `npm run assumptions` writes", () => {
	expect(readFileSync(assumptionsFile, "utf8")).toBe(assumptionsPage());
});

it("an assumption needs only ones that are checked before it", () => {
	const wrong = assumptionIds.flatMap((id, at) => {
		const before: readonly string[] = assumptionIds.slice(0, at);
		return (assumptionOf(id).needs ?? []).filter((need) => !before.includes(need));
	});
	expect(wrong).toEqual([]);
});
