import pulumi
import pulumi_datachain as datachain

# This dataset, and every dataset that it depends on. The new pipeline is paused, so nothing runs yet.
images = datachain.Pipeline("images", datasets=["dev.images.final_result"])

# A file that the pipeline's jobs may use.
labels = datachain.JobFile("labels", name="labels.txt", text="cat\ndog\n")

settings = datachain.PipelineSettings(
    "images",
    pipeline_name=images.name,
    workers=2,
    environment={"MODEL": "clip"},
    files=[labels.id],
)

# A schedule never runs a paused pipeline. `paused=False` resumes the pipeline, which starts its first run. The name comes
# from the settings, so that Pulumi writes them before anything runs.
nightly = datachain.PipelineSchedule(
    "images",
    pipeline_name=settings.pipeline_name,
    cron_expression="0 3 * * *",
    paused=False,
)

pulumi.export("pipeline", images.name)
pulumi.export("nextRun", nightly.next_run)
