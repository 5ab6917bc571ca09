import { expect, it } from "vitest";
import { managedPipelines } from "../../../src/team/managed-pipelines";
import { entry, secret, stateOf } from "../../helpers/drift-team";

const connection = { baseUrl: "https://studio.example.com/api", teamName: "ml" };
const elsewhere = { serviceUrl: "https://another.example.com/api" };

it("names the pipelines of the stack's schedules in this team of this service, and no secret", () => {
	const state = stateOf(
		entry("PipelineSchedule", "a", "1", { pipelineName: "etl" }),
		entry("PipelineSchedule", "b", "2", { pipelineName: "etl", teamName: "audio" }),
		entry("PipelineSchedule", "c", "3", { pipelineName: "etl" }, elsewhere),
		entry("PipelineSchedule", "d", "4", { pipelineName: secret("etl") }),
		entry("PipelineSettings", "e", "5", { pipelineName: "etl" }),
	);
	expect([...managedPipelines(state, connection)]).toEqual([[1, "etl"]]);
});
