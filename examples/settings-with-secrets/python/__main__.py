import pulumi
import pulumi_datachain as datachain

config = pulumi.Config()

script = datachain.JobFile("prepare", source="./prepare.py")

settings = datachain.PipelineSettings(
    "nightly-images",
    pipeline_name="nightly-images",
    python_version="3.12",
    requirements=["pillow==11.0.0", "torch"],
    workers=4,
    priority=3,
    environment={
        "LOG_LEVEL": "info",
        # Encrypted in the state, and shown as [secret] in every diff.
        "LABELING_API_KEY": config.require_secret("labelingApiKey"),
    },
    files=[script.id],
    credentials_names=["vision-aws"],
    # The pipeline has settings already; without this they are refused, with each key.
    adopt=True,
    on_destroy="reset",
)

# The service does not show these, so drift in them cannot be found.
pulumi.export("unchecked", settings.unchecked_keys)
