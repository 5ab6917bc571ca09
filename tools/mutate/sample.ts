import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Random } from "../../test/model/random";

/**
 * Draws windows of lines by lot, for a score that is near the whole one in a fraction of its hours:
 * `npm run mutate -- --mutate "$(npx ts-node tools/mutate/sample.ts 200 some-seed)"`.
 * A third argument limits the lot to folders: `tools/mutate/sample.ts 40 some-seed provider,cron`.
 */
const WINDOW = 8;

const [count = "200", seed = "1", only] = process.argv.slice(2);
const random = new Random(seed);
const folders = only
	? only.split(",")
	: ["provider", "client", "schemas", "cron", "storage", "text"];
const paths = folders.map((folder) => `src/${folder}`);
const files = execFileSync("git", ["ls-files", ...paths], { encoding: "utf8" })
	.split("\n")
	.filter((path) => path.endsWith(".ts"));
const windows = files.flatMap((path) => {
	const lines = readFileSync(path, "utf8").split("\n").length;
	return Array.from({ length: Math.ceil(lines / WINDOW) }, (_, at) => {
		const first = at * WINDOW + 1;
		return `${path}:${first}-${Math.min(first + WINDOW - 1, lines)}`;
	});
});
process.stdout.write(
	`${random.shuffled(windows).slice(0, Number(count)).sort().join(",")}\n`,
);
