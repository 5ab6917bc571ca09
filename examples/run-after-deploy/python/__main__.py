import pulumi
import pulumi_datachain as datachain

release = pulumi.Config().get("release") or "v2026.1"

settings = datachain.PipelineSettings("images", pipeline_name="quiet-harbor", python_version="3.12")

# Runs when the release or the script changes, after the settings are there. If it fails, the deployment fails.
check = datachain.Job(
    "smoke-test",
    file="./smoke_test.py",
    environment={"RELEASE": release},
    triggers={"release": release},
    wait=True,
    timeout="10m",
    opts=pulumi.ResourceOptions(depends_on=[settings]),
)

pulumi.export("status", check.status)
pulumi.export("url", check.url)
