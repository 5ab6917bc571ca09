import pulumi
import pulumi_datachain as datachain

datachain.PipelineSchedule(
    "images-nightly",
    pipeline_name="nightly-images",
    cron_expression="0 3 * * *",
    schedule_name="images-prod-nightly",  # the name that the schedule already has
    opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="nightly")]),
)
