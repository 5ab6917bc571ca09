import { expect, it } from "vitest";
import { detailedDiff } from "../../../src/provider/hosts/plugin/resource-host";
import { SCHEDULE_FIELDS } from "../../../src/provider/kinds/schedule/fields";
import { SETTINGS_FIELDS } from "../../../src/provider/kinds/settings/fields";

const result = (...replaces: string[]) => ({
	changes: true,
	replaces,
	deleteBeforeReplace: replaces.length > 0,
});

it("what means the same is no change, however it is spelled", () => {
	const [olds, news] = [{ cronExpression: "@daily" }, { cronExpression: "0 0 * * *" }];
	expect(detailedDiff(SCHEDULE_FIELDS, result(), olds, news, [])).toEqual({});
});

it("names the leaves that differ, and a list as a whole", () => {
	const olds = { requirements: ["a"], storage: { s3: { key: "k", anon: false } } };
	const news = { requirements: ["a", "b"], storage: { s3: { key: "z", anon: false } } };
	expect(detailedDiff(SETTINGS_FIELDS, result(), olds, news, [])).toEqual({
		requirements: { kind: "update", replaces: false },
		"storage.s3.key": { kind: "update", replaces: false },
	});
});

it("a replacement that the table knows nothing of has a line all the same", () => {
	const same = { scheduleName: "n", pipelineName: "p" };
	expect(detailedDiff(SCHEDULE_FIELDS, result("scheduleName"), same, same, [])).toEqual(
		{
			scheduleName: { kind: "update", replaces: true },
		},
	);
});

it("names no key of an environment that is a secret as a whole", () => {
	const [olds, news] = [{ environment: { A: "1" } }, { environment: { A: "2" } }];
	const named = (...secret: string[]) =>
		Object.keys(detailedDiff(SETTINGS_FIELDS, result(), olds, news, [], [secret]));
	expect(named("environment")).toEqual(["environment"]);
	expect(named("environment", "A")).toEqual(["environment.A"]);
});
