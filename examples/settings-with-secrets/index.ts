import * as pulumi from "@pulumi/pulumi";
import * as datachain from "pulumi-datachain";

const config = new pulumi.Config();

const script = new datachain.JobFile("prepare", { source: "./prepare.py" });

export const settings = new datachain.PipelineSettings("nightly-images", {
	pipelineName: "nightly-images",
	pythonVersion: "3.12",
	requirements: ["pillow==11.0.0", "torch"],
	workers: 4,
	priority: 3,
	environment: {
		LOG_LEVEL: "info",
		// Encrypted in the state, and shown as [secret] in every diff.
		LABELING_API_KEY: config.requireSecret("labelingApiKey"),
	},
	files: [script],
	credentialsNames: ["vision-aws"],
	// The pipeline has settings already; without this they are refused, with each key.
	adopt: true,
	onDestroy: "reset",
});

/** The service does not show these, so drift in them cannot be found. */
export const unchecked = settings.uncheckedKeys;
