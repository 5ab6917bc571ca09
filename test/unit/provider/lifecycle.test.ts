import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { UNKNOWN } from "../../../src/provider/handler";
import { withTeam } from "../../../src/provider/lifecycle";

const call = { teamName: "ml" } as Call;

describe("the team of a resource", () => {
	it.each([
		["is the one that it declares", { teamName: "ml" }, { teamName: "b" }, "b"],
		["is the connection's where it declares none", {}, {}, "ml"],
		["is the connection's where what it declares is null", {}, { teamName: null }, "ml"],
		["is the connection's where it is there already", { teamName: "ml" }, {}, "ml"],
		["is the connection's where it was not known", { teamName: UNKNOWN }, {}, "ml"],
	])("%s", (_, olds, news, teamName) => {
		expect(withTeam(call, olds, { ...news, a: 1 })).toEqual({ inputs: { a: 1, teamName }, problems: [] });
	});

	it("is not changed by another connection", () => {
		expect(withTeam(call, { teamName: "old" }, { a: 1 })).toEqual({
			inputs: { a: 1, teamName: "old" },
			problems: [
				{
					field: "teamName",
					reason:
						'teamName: this resource is in team "old", but the connection now names team "ml". Point the connection back to ' +
						'"old", or set teamName to "ml" to move the resource there.',
				},
			],
		});
	});
});
