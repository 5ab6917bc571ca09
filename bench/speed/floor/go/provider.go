package main

import (
	"context"
	"strconv"
	"sync/atomic"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

type floor struct {
	pulumirpc.UnimplementedResourceProviderServer
	made atomic.Int64
}

func (*floor) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (*floor) CheckConfig(_ context.Context, request *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: request.GetNews()}, nil
}

func (*floor) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (*floor) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, AcceptResources: true}, nil
}

func (*floor) Check(_ context.Context, request *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	inputs := request.GetNews()
	// Ours writes the team into the inputs here, so the state has it in both places.
	inputs.Fields["teamName"] = structpb.NewStringValue("vision")
	return &pulumirpc.CheckResponse{Inputs: inputs}, nil
}

func (*floor) Diff(_ context.Context, request *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	if proto.Equal(request.GetOldInputs(), request.GetNews()) {
		return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
	}
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_SOME}, nil
}

func (f *floor) Create(_ context.Context, request *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	id := f.made.Add(1) + 1
	outputs, err := outputsOf(request.GetProperties(), id)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{Id: strconv.FormatInt(id, 10), Properties: outputs}, nil
}

func (*floor) Update(_ context.Context, request *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	id, err := strconv.ParseInt(request.GetId(), 10, 64)
	if err != nil {
		return nil, err
	}
	outputs, err := outputsOf(request.GetNews(), id)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: outputs}, nil
}

func (*floor) Read(_ context.Context, request *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{
		Id:         request.GetId(),
		Properties: request.GetProperties(),
		Inputs:     request.GetInputs(),
	}, nil
}

func (*floor) Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (*floor) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}
