import { expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { UNKNOWN } from "../../../src/provider/handler";
import { withTeam } from "../../../src/provider/lifecycle";

it.each([{}, { teamName: "ml" }, { teamName: UNKNOWN }])(
	"the team of a resource that declares none is the connection's, after %j",
	(olds) => {
		const call = { teamName: "ml" } as Call;
		expect(withTeam(call, olds, { teamName: null })).toEqual({ inputs: { teamName: "ml" }, problems: [] });
	},
);
