import * as pulumi from "@pulumi/pulumi";
import * as datachain from "pulumi-datachain";

const config = new pulumi.Config();
const { storage } = datachain;

const stores: datachain.storage.StorageInput[] = [
	// An S3-compatible store where s3Endpoint is set, AWS otherwise.
	storage.forUri("s3://acme-images/raw/", {
		endpointUrl: config.get("s3Endpoint"),
		key: config.requireSecret("s3Key"),
		secret: config.requireSecret("s3Secret"),
	}),
	storage.forUri("gs://acme-labels/", {
		// The service account's key file, as an object and not as a path: the job has no such file.
		token: config.requireSecretObject<Record<string, unknown>>("serviceAccountKey"),
		endpointUrl: config.get("gsEndpoint"),
		access: "read_only",
	}),
];

// The others are there where they are configured.
const azureKey = config.getSecret("azureKey");
if (azureKey) stores.push(storage.az({ accountName: config.require("azureAccount"), accountKey: azureKey }));
const hubToken = config.getSecret("hubToken");
if (hubToken) stores.push(storage.hf({ token: hubToken }));

const script = new datachain.JobFile("read-images", { source: "./read_images.py" });

export const settings = new datachain.PipelineSettings("nightly-images", {
	pipelineName: "nightly-images",
	storage: stores,
	files: [script],
});

/** Where a script passes client_config itself: the same dictionary, as a file. */
export const clientConfigFile = new datachain.JobFile(
	"s3-config",
	storage.toJobFile(stores[0] ?? storage.s3()),
);
