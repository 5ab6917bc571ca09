// The quickstart in Go.
package main

import (
	"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		// A file that the pipeline's jobs may use. Pulumi uploads it again when its content changes.
		thresholds, err := datachain.NewJobFile(ctx, "thresholds", &datachain.JobFileArgs{
			Name: pulumi.String("thresholds.json"),
			Text: pulumi.String(`{"blur": 0.4, "minSide": 256}`),
		})
		if err != nil {
			return err
		}

		// Only the keys and variables declared here are managed. Others stay as they are.
		settings, err := datachain.NewPipelineSettings(ctx, "images", &datachain.PipelineSettingsArgs{
			PipelineName:  pulumi.String("rusty-vise"),
			PythonVersion: pulumi.String("3.12"),
			Requirements:  pulumi.StringArray{pulumi.String("pillow==11.0.0")},
			Environment:   pulumi.StringMap{"LOG_LEVEL": pulumi.String("info")},
			Files:         pulumi.StringArray{thresholds.ID()},
			OnDestroy:     datachain.PipelineSettingsOnDestroyReset,
		})
		if err != nil {
			return err
		}

		nightly, err := datachain.NewPipelineSchedule(ctx, "nightly", &datachain.PipelineScheduleArgs{
			PipelineName:   settings.PipelineName,
			CronExpression: pulumi.String("0 3 * * *"),
		})
		if err != nil {
			return err
		}

		cluster := datachain.GetComputeClusterOutput(ctx, datachain.GetComputeClusterOutputArgs{
			Default: pulumi.Bool(true),
		})
		ctx.Export("cluster", cluster.Name())
		ctx.Export("nightlyMeans", nightly.CronDescription)
		ctx.Export("nextRun", nightly.NextRun)
		return nil
	})
}
