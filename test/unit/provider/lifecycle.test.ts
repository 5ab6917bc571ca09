import { expect, it } from "vitest";
import { Claims } from "../../../src/provider/claims";
import type { Call } from "../../../src/provider/context";
import { UNKNOWN } from "../../../src/provider/handler";
import { claimMade, withTeam } from "../../../src/provider/lifecycle";
import type { RunClaims } from "../../../src/provider/run-claims";

it.each([{}, { teamName: "ml" }, { teamName: UNKNOWN }])(
	"the team of a resource that declares none is the connection's, after %j",
	(olds) => {
		const call = { teamName: "ml" } as Call;
		expect(withTeam(call, olds, { teamName: null })).toEqual({ inputs: { teamName: "ml" }, problems: [] });
	},
);

it("what was created, and another provider process adopted at once, is told with what to do", () => {
	const theirs = { is: "held", by: "urn:pulumi:dev::shop::t::other" };
	const run = { read: () => theirs, write: () => false } as unknown as RunClaims;
	const call = { urn: "urn:pulumi:dev::shop::t::it", claims: new Claims(run) } as Call;
	expect(() => claimMade(call, { kind: "Pipeline", team: "ml", id: "7" }, 'Pipeline "p1"')).toThrow(
		'Pipeline "p1" was created, and at once adopted by resource "other" of this program, which manages it now. Declare it in one place, ' +
			'or run "pulumi up" again so that "it" gets its own.',
	);
});
