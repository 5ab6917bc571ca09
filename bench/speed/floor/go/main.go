// Command pulumi-resource-schedulefloor is the cheapest provider there can be: no HTTP, no validation, nothing to
// remember. What the engine needs with it, it needs with every provider.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
)

// How often the plugin looks whether its engine still lives.
const healthInterval = 5 * time.Second

func main() {
	if err := serve(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "pulumi-resource-schedulefloor could not serve: %v\n", err)
		os.Exit(1)
	}
}

func serve(args []string) error {
	cancel := make(chan bool)
	if len(args) > 0 {
		// The engine's address: a plugin must not outlive an engine that was killed.
		if err := rpcutil.Healthcheck(context.Background(), args[0], healthInterval, func() { close(cancel) }); err != nil {
			return err
		}
	}
	handle, err := rpcutil.ServeWithOptions(rpcutil.ServeOptions{
		Cancel: cancel,
		Init: func(server *grpc.Server) error {
			pulumirpc.RegisterResourceProviderServer(server, &floor{})
			return nil
		},
	})
	if err != nil {
		return err
	}
	// The engine reads the port from the first line.
	fmt.Println(handle.Port)
	return <-handle.Done
}
