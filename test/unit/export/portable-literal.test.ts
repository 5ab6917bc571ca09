import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { portableLiteral } from "../../../src/export/literal";

const TEXTS = [
	"plain",
	`it's "so"`,
	"back\\slash",
	"a\nb\tc",
	"\u0000\u2028\u200b",
	"東京 🚀",
	"\u{e0001}",
	"</script>",
	"$" + "{x}",
];

/** Python's own reader is the judge, where there is one. */
const python = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!python)("a text in the code of another language is the same text there", () => {
	const script =
		"import ast, json, sys; print(json.dumps([ast.literal_eval(line) for line in json.load(sys.stdin)]))";
	const { stdout } = spawnSync("python3", ["-c", script], {
		input: JSON.stringify(TEXTS.map(portableLiteral)),
	});
	expect(JSON.parse(stdout.toString())).toEqual(TEXTS);
});

it("shows nothing that a reader cannot see", () => {
	for (const text of TEXTS) expect(portableLiteral(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});
