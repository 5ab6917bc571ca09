import * as pulumi from "@pulumi/pulumi";
import * as datachain from "pulumi-datachain";

const release = new pulumi.Config().get("release") ?? "v2026.1";

const settings = new datachain.PipelineSettings("images", {
	pipelineName: "quiet-harbor",
	pythonVersion: "3.12",
});

/** Runs when the release or the script changes, after the settings are there. If it fails, the deployment fails. */
const check = new datachain.Job(
	"smoke-test",
	{
		file: "./smoke_test.py",
		environment: { RELEASE: release },
		triggers: { release },
		wait: true,
		timeout: "10m",
	},
	{ dependsOn: [settings] },
);

export const status = check.status;
export const url = check.url;
