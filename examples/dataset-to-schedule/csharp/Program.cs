using System.Collections.Generic;
using Pulumi;
using DataChain = Pulumi.DataChain;

return await Deployment.RunAsync(() =>
{
    // This dataset, and every dataset that it depends on. The new pipeline is paused, so nothing runs yet.
    var images = new DataChain.Pipeline("images", new()
    {
        Datasets = new[] { "dev.images.final_result" },
    });

    // A file that the pipeline's jobs may use.
    var labels = new DataChain.JobFile("labels", new()
    {
        Name = "labels.txt",
        Text = "cat\ndog\n",
    });

    var settings = new DataChain.PipelineSettings("images", new()
    {
        PipelineName = images.Name,
        Workers = 2,
        Environment = {
            { "MODEL", "clip" },
        },
        Files = { labels.Id },
    });

    // A schedule never runs a paused pipeline. Paused = false resumes the pipeline, which starts its first run. The name
    // comes from the settings, so that Pulumi writes them before anything runs.
    var nightly = new DataChain.PipelineSchedule("images", new()
    {
        PipelineName = settings.PipelineName,
        CronExpression = "0 3 * * *",
        Paused = false,
    });

    return new Dictionary<string, object?>
    {
        ["pipeline"] = images.Name,
        ["nextRun"] = nightly.NextRun,
    };
});
