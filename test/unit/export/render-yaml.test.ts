import { expect, it } from "vitest";
import { modelOf } from "../../../src/export/model";
import { renderYamlProject } from "../../../src/export/render-yaml";
import { livePipeline, liveSchedule, liveTeam } from "../../helpers/export-team";

/** As pulumi-yaml reads a text that refers to nothing (ast/interpolation.go). */
function read(text: string): string {
	expect(text.replaceAll("$$", "")).not.toContain("\u0024{");
	return text.replaceAll("$$", () => "$");
}

it.each(["\u0024{x}", "a$$b", "$", "$\u0024{x}$", "data/\u0024{DATE}"])(
	"a project in YAML reads %s as the text that it is",
	(text) => {
		const pipeline = livePipeline("p", { requirements: text, environment_variables: { VALUE: text } });
		const schedule = liveSchedule(1, `nightly ${text}`, { pipeline });
		const model = modelOf(liveTeam([schedule], [pipeline]), { plainValues: true, yaml: true });
		const project = renderYamlProject("team", model, { retain: false });
		const field = (name: string): unknown =>
			JSON.parse(new RegExp(`^ +${name}: (.*)$`, "m").exec(project)?.[1] ?? "", (_, value) =>
				typeof value === "string" ? read(value) : value,
			);
		expect(field("scheduleName")).toBe(`nightly ${text}`);
		expect(field("requirements")).toEqual([text]);
		expect(field("environment")).toEqual({ VALUE: text });
	},
);
