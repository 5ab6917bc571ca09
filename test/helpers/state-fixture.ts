import type { Declared } from "./e2e-deployment";

/** States kept under test/fixtures/states are encrypted with this; there is nothing secret in them. */
export const PASSPHRASE = "state-fixture";

/** One resource of each kind, with a secret, as a released version would have deployed them. */
export const DECLARED: readonly Declared[] = [
	{ kind: "JobFile", name: "script", args: { text: "print('kept')\n", name: "kept.py" } },
	{
		kind: "PipelineSettings",
		name: "images",
		args: {
			pipelineName: "rusty-vise",
			pythonVersion: "3.12",
			environment: { MODEL: "clip", API_KEY: { $secret: "not-really-a-secret" } },
			onDestroy: "reset",
		},
		from: { files: ["script.id"] },
	},
	{
		kind: "PipelineSchedule",
		name: "nightly",
		args: { scheduleName: "kept", pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
	},
];
