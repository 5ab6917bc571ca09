module datachain-rename

go 1.25.11

require (
	github.com/pulumi-datachain/pulumi-datachain/sdk/go v0.4.0
	github.com/pulumi/pulumi/sdk/v3 v3.259.0
)
