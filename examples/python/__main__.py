"""The quickstart in Python."""

import json

import pulumi
import pulumi_datachain as datachain

# A file that the pipeline's jobs may use; uploaded again when its bytes change.
thresholds = datachain.JobFile(
    "thresholds",
    name="thresholds.json",
    text=json.dumps({"blur": 0.4, "minSide": 256}),
)

# Only the keys and variables declared here are managed. Others stay as they are.
settings = datachain.PipelineSettings(
    "images",
    pipeline_name="rusty-vise",
    python_version="3.12",
    requirements=["pillow==11.0.0"],
    environment={"LOG_LEVEL": "info"},
    files=[thresholds.id],
    on_destroy="reset",
)

nightly = datachain.PipelineSchedule(
    "nightly",
    pipeline_name=settings.pipeline_name,
    cron_expression="0 3 * * *",
)

pulumi.export("cluster", datachain.get_compute_cluster_output(default=True).name)
pulumi.export("nightlyMeans", nightly.cron_description)
pulumi.export("nextRun", nightly.next_run)
