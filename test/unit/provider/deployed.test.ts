import { expect, it } from "vitest";
import { DeployedResources } from "../../../src/provider/run/deployed";

const inputs = (pipelineName: string, teamName = "ml") => ({ teamName, pipelineName });

it("the state of a resource is what was told of it last", () => {
	const deployed = new DeployedResources();
	expect(deployed.of("A")).toBeUndefined();
	deployed.note("A", { inputs: inputs("p1") });
	deployed.note("A", { id: "7", inputs: { ...inputs("p1"), workers: 2 } });
	expect(deployed.of("A")).toEqual({
		id: "7",
		inputs: { ...inputs("p1"), workers: 2 },
	});
});

it("the resources on a pipeline are those of its name and team, each once", () => {
	const deployed = new DeployedResources();
	deployed.note("A", { inputs: inputs("p1") });
	deployed.note("A", { id: "7", inputs: inputs("p1") });
	deployed.note("B", { inputs: inputs("p1") });
	deployed.note("C", { inputs: inputs("p2") });
	deployed.note("D", { inputs: inputs("p1", "audio") });
	expect(
		deployed.onPipeline("ml", "p1").map(({ urn, resource }) => [urn, resource.id]),
	).toEqual([
		["A", "7"],
		["B", undefined],
	]);
	expect(deployed.onPipeline("ml", "p3")).toEqual([]);
});
