import pulumi
import pulumi_datachain as datachain

# A schedule that someone created by hand. `adopt` finds it by its name and keeps its id.
by_hand = datachain.PipelineSchedule(
    "by-hand",
    schedule_name="nightly-images-by-hand",
    pipeline_name="nightly-images",
    cron_expression="30 2 * * *",
    adopt=True,
)

# The settings of its pipeline. Only these two keys are managed from now on.
settings = datachain.PipelineSettings(
    "nightly-images",
    pipeline_name="nightly-images",
    python_version="3.12",
    environment={"LOG_LEVEL": "debug"},
    adopt=True,
)

pulumi.export("adopted", {"schedule": by_hand.schedule_id, "settings": settings.id})
