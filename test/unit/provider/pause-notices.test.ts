import { expect, it } from "vitest";
import type { Call } from "../../../src/provider/context";
import { madePausedNotice } from "../../../src/provider/shared/pause-notices";
import { UNKNOWN } from "../../../src/provider/shared/unknown";
import { dynamicType, pluginType } from "../../../src/schemas/kinds";

it.each([
	["the dynamic host", dynamicType],
	["the plugin", pluginType],
])("a schedule is told of a pipeline that is made paused, with %s", (_, typeOf) => {
	const notices: string[] = [];
	const urn = (kind: "Pipeline" | "PipelineSchedule", name: string) =>
		`urn:pulumi:dev::p::${typeOf(kind)}::${name}`;
	const call = {
		preview: true,
		urn: urn("PipelineSchedule", "nightly"),
		declared: new Map([[urn("Pipeline", "images"), { start: false }]]),
		notice: (text: string) => notices.push(text),
	};
	madePausedNotice(call as unknown as Call, { pipelineName: UNKNOWN });
	expect(notices).toEqual([expect.stringMatching(/"nightly".*"images", it is made paused/)]);
});
