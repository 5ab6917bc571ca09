import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../src/provider/model/props";
import type { Call } from "../../../src/provider/run/context";
import { takeCreated, withTeam } from "../../../src/provider/run/lifecycle";
import { type ObjectRef, Owners } from "../../../src/provider/run/owners";

it.each([{}, { teamName: "ml" }, { teamName: UNKNOWN }])(
	"the team of a resource that declares none is the connection's, after %j",
	(olds) => {
		const call = { teamName: "ml" } as Call;
		expect(withTeam(call, olds, { teamName: null })).toEqual({
			inputs: { teamName: "ml" },
			problems: [],
		});
	},
);

describe("what a resource has created", () => {
	const object: ObjectRef = { kind: "Pipeline", team: "ml", id: "7" };
	const call = { urn: "urn:pulumi:dev::shop::t::it", owners: new Owners() } as Call;

	it("is its own", () => {
		takeCreated(call, object, 'Pipeline "p1"');
		expect(call.owners.of(object)).toEqual({ urn: call.urn, since: "deployment" });
	});

	it("is not, if another provider process adopted it at once, and the failure says what to do", () => {
		const owners = new Owners();
		owners.take("urn:pulumi:dev::shop::t::other", object);
		expect(() => takeCreated({ ...call, owners }, object, 'Pipeline "p1"')).toThrow(
			'Pipeline "p1" was created, but resource "other" of this program adopted it. Declare it in one ' +
				'place, or run "pulumi up" again so that "it" gets its own.',
		);
	});
});
