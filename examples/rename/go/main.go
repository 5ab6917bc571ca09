package main

import (
	"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		_, err := datachain.NewPipelineSchedule(ctx, "images-nightly", &datachain.PipelineScheduleArgs{
			PipelineName:   pulumi.String("nightly-images"),
			CronExpression: pulumi.String("0 3 * * *"),
			ScheduleName:   pulumi.String("images-prod-nightly"), // the name that the schedule already has
		}, pulumi.Aliases([]pulumi.Alias{{Name: pulumi.String("nightly")}}))
		return err
	})
}
