import pulumi
import pulumi_datachain as datachain

config = pulumi.Config()

storage = {
    # An S3-compatible store where s3Endpoint is set, AWS otherwise.
    "s3": {
        "endpoint_url": config.get("s3Endpoint"),
        "key": config.require_secret("s3Key"),
        "secret": config.require_secret("s3Secret"),
    },
    "gs": {
        # The service account's key file, as a dictionary and not as a path: the job has no such file.
        "token": config.require_secret_object("serviceAccountKey"),
        "endpoint_url": config.get("gsEndpoint"),
        "access": "read_only",
    },
}

# The others are there where they are configured.
azure_key = config.get_secret("azureKey")
if azure_key:
    storage["az"] = {"account_name": config.require("azureAccount"), "account_key": azure_key}
hub_token = config.get_secret("hubToken")
if hub_token:
    storage["hf"] = {"token": hub_token}

script = datachain.JobFile("read-images", source="./read_images.py")

settings = datachain.PipelineSettings(
    "nightly-images",
    pipeline_name="nightly-images",
    storage=storage,
    files=[script.id],
)
