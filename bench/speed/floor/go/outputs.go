package main

import (
	"maps"

	"google.golang.org/protobuf/types/known/structpb"
)

// outputsOf gives a schedule the outputs that ours has, with values as long as the local server's, so that the two
// states differ only by what the dynamic form adds.
func outputsOf(inputs *structpb.Struct, id int64) (*structpb.Struct, error) {
	const now = "2026-01-31T03:00:00.000000+00:00"
	outputs, err := structpb.NewStruct(map[string]any{
		"scheduleId":      id,
		"adopted":         false,
		"createdAt":       now,
		"updatedAt":       now,
		"nextRun":         now,
		"cronDescription": "At 03:00, every day (UTC)",
		"serviceUrl":      "http://127.0.0.1:36247/api",
		"createdBy": map[string]any{
			"firstName": "Developer", "lastName": "", "username": "developer",
		},
		"pipeline": map[string]any{
			"pipelineId": "198686a1-fc9c-47fb-a331-939ba09b01fb", "name": "rusty-vise", "status": "FAILED",
			"triggeredFrom": "dev.images.thumbnails@1.0.0", "completed": 2, "total": 2,
			"createdAt": now, "updatedAt": now,
		},
	})
	if err != nil {
		return nil, err
	}
	maps.Copy(outputs.Fields, inputs.GetFields())
	return outputs, nil
}
