import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import {
	literal,
	portableLiteral,
	renderYamlProject,
} from "../../../src/commands/export/languages";
import { modelOf } from "../../../src/commands/export/model";
import {
	HOSTILE,
	livePipeline,
	liveSchedule,
	liveTeam,
} from "../../helpers/export-teams";

it.each([literal, portableLiteral])(
	"%o shows nothing that is invisible, turns the reading direction or breaks the line",
	(literalOf) => {
		expect(literalOf(HOSTILE.join(""))).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
	},
);

it("a string literal does not end a script", () => {
	expect(literal("</script>")).not.toContain("</");
});

/** Python's own reader is the judge, where there is one. */
const python = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!python)(
	"a text in the code of another language is the same text there",
	() => {
		const script =
			"import ast, json, sys; print(json.dumps([ast.literal_eval(line) for line in json.load(sys.stdin)]))";
		const { stdout } = spawnSync("python3", ["-c", script], {
			input: JSON.stringify(HOSTILE.map(portableLiteral)),
		});
		expect(JSON.parse(stdout.toString())).toEqual(HOSTILE);
	},
);

/** As pulumi-yaml reads a text that refers to nothing (ast/interpolation.go). */
function read(text: string): string {
	expect(text.replaceAll("$$", "")).not.toContain("\u0024{");
	return text.replaceAll("$$", () => "$");
}

it.each(["\u0024{x}", "a$$b", "$", "$\u0024{x}$", "data/\u0024{DATE}"])(
	"a project in YAML reads %s as the text that it is",
	(text) => {
		const pipeline = livePipeline("p", {
			requirements: text,
			environment_variables: { VALUE: text },
		});
		const schedule = liveSchedule(1, `nightly ${text}`, { pipeline });
		const model = modelOf(liveTeam([schedule], [pipeline]), {
			plainValues: true,
			yaml: true,
		});
		const project = renderYamlProject("team", model);
		const field = (name: string): unknown =>
			JSON.parse(
				new RegExp(`^ +${name}: (.*)$`, "m").exec(project)?.[1] ?? "",
				(_, value) => (typeof value === "string" ? read(value) : value),
			);
		expect(field("scheduleName")).toBe(`nightly ${text}`);
		expect(field("requirements")).toEqual([text]);
		expect(field("environment")).toEqual({ VALUE: text });
	},
);
