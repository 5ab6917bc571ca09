import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../../../tools/repository";
import { atOnce } from "../../at-once";
import { all, none, type Row } from "../../row";
import { type Finding, tryFixture } from "./fixture";

const FOLDER = join(repository, "test", "fixtures", "states");

/** States that released versions made: whatever they say, the stub in them included, works with every later version. */
export const oldStates: Row = {
	number: 9,
	name: "old-states",
	async run(context) {
		const versions = readdirSync(FOLDER);
		const findings: Finding[] = [];
		// Each has a stack and a server of its own; two at a time are what a small machine carries.
		await atOnce(2, versions, async (version) => {
			context.progress(`state of version ${version}`);
			findings.push(...(await tryFixture(join(FOLDER, version), version)));
		});
		const passed = findings.filter(({ problem }) => problem === undefined);
		const unasked = findings.flatMap(({ what, touched }) => touched.map((text) => `${what}: ${text}`));
		const failed = findings.flatMap(({ what, problem }) =>
			problem === undefined ? [] : [`${what}: ${problem}`],
		);
		return {
			load: `${versions.length} state${versions.length === 1 ? "" : "s"} of released versions`,
			figures: [
				all("refresh, up and destroy pass", passed.length, findings.length, failed),
				none("replaced, written or deleted unasked", unasked),
				none("versions without a state", versions.includes(thisVersion()) ? [] : [thisVersion()]),
			],
		};
	},
};

function thisVersion(): string {
	const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
		version: string;
	};
	return version;
}
