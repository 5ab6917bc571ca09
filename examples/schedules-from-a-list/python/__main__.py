import pulumi
import pulumi_datachain as datachain

# One row per schedule. The preview checks names, cron expressions and pipelines before anything is sent.
table = [
    {"name": "hourly-thumbnails", "pipeline": "rusty-vise", "cron": "@hourly"},
    {"name": "nightly-images", "pipeline": "nightly-images", "cron": "0 3 * * *"},
    {"name": "monday-report", "pipeline": "nightly-images", "cron": "30 6 * * mon"},
]

# Each resource has the name of its row, not its position, so a new or removed row does not move the others.
schedules = [
    datachain.PipelineSchedule(
        row["name"],
        schedule_name=row["name"],
        pipeline_name=row["pipeline"],
        cron_expression=row["cron"],
    )
    for row in table
]

pulumi.export("overview", [{"means": each.cron_description, "nextRun": each.next_run} for each in schedules])
