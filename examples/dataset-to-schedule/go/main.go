package main

import (
	"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// This dataset, and every dataset that it depends on. The new pipeline is paused, so nothing runs yet.
		images, err := datachain.NewPipeline(ctx, "images", &datachain.PipelineArgs{
			Datasets: pulumi.StringArray{pulumi.String("dev.images.final_result")},
		})
		if err != nil {
			return err
		}

		// A file that the pipeline's jobs may use.
		labels, err := datachain.NewJobFile(ctx, "labels", &datachain.JobFileArgs{
			Name: pulumi.String("labels.txt"),
			Text: pulumi.String("cat\ndog\n"),
		})
		if err != nil {
			return err
		}

		settings, err := datachain.NewPipelineSettings(ctx, "images", &datachain.PipelineSettingsArgs{
			PipelineName: images.Name,
			Workers:      pulumi.Int(2),
			Environment:  pulumi.StringMap{"MODEL": pulumi.String("clip")},
			Files:        pulumi.StringArray{labels.ID()},
		})
		if err != nil {
			return err
		}

		// A schedule never runs a paused pipeline. Paused: false resumes the pipeline, which starts its first run. The
		// name comes from the settings, so that Pulumi writes them before anything runs.
		nightly, err := datachain.NewPipelineSchedule(ctx, "images", &datachain.PipelineScheduleArgs{
			PipelineName:   settings.PipelineName,
			CronExpression: pulumi.String("0 3 * * *"),
			Paused:         pulumi.Bool(false),
		})
		if err != nil {
			return err
		}

		ctx.Export("pipeline", images.Name)
		ctx.Export("nextRun", nightly.NextRun)
		return nil
	})
}
