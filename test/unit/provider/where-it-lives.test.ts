import { describe, expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { refuseOtherService } from "../../../src/provider/shared/not-found";
import { withTeam } from "../../../src/provider/shared/team";
import { UNKNOWN } from "../../../src/provider/shared/unknown";

const call = { teamName: "ml", serviceUrl: "https://new.example.com" } as Call;

describe("something that is not found", () => {
	it("keeps its state where it was deployed to another service", () => {
		expect(() =>
			refuseOtherService(call, { serviceUrl: "https://old.example.com" }, "File 7 was not found"),
		).toThrow(
			"File 7 was not found, but it was deployed to https://old.example.com and the connection now points to " +
				"https://new.example.com. Set DATACHAIN_STUDIO_URL (or datachain:baseUrl) to the service it was deployed to. Nothing was changed.",
		);
	});

	it.each([{}, { serviceUrl: 7 }, { serviceUrl: "https://new.example.com" }])(
		"is gone where the state has %j",
		(known) => {
			expect(() => refuseOtherService(call, known, "File 7 was not found")).not.toThrow();
		},
	);
});

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
						'"old", or set teamName: "ml" to move the resource there.',
				},
			],
		});
	});
});
