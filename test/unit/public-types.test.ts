import type * as pulumi from "@pulumi/pulumi";
import { describe, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as datachain from "../../src";
import type * as client from "../../src/api";
import type { followRequestSchema, pathId } from "../../src/api/requests";
import type { CamelKeys } from "../../src/schemas/camel";
import type { endpoints } from "../../src/schemas/endpoints";
import type { Cluster } from "../../src/schemas/wire/cluster";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type { Job } from "../../src/schemas/wire/job";
import type { Pipeline } from "../../src/schemas/wire/pipeline";
import type { ScheduleItem } from "../../src/schemas/wire/schedule";
import type * as server from "../../src/server";
import type { faultRuleSchema } from "../../src/server/fault-schema";
import type * as storage from "../../src/storage";
import type * as schemas from "../../src/storage/rules";

/*
 * The public types are written out, or made from the schemas, so that a program loads no declarations of zod. These lines keep them equal to
 * what the schemas say; the compiler checks them (`npm run types`).
 */

type InputsOf<Shape> = { [Name in keyof Shape]?: pulumi.Input<z.input<Shape[Name]>> };

/** A result with the names of its environment, and its values as a secret Output where they were asked for. */
type WithEnvironment<T, Name extends string> = Omit<T, Name> & { environmentNames: string[] } & {
	[Key in Name]?: pulumi.Output<Record<string, string>>;
};

/** Spelled out key by key, so that intersections compare equal to interfaces. */
type Flat<T> = T extends unknown ? { [Key in keyof T]: T[Key] } : never;

type Endpoints = typeof endpoints;
/** The fields that the client checks: of the query, of a JSON body and of the path. */
type ShapeOf<Name extends EndpointName> = Endpoints[Name]["query"] &
	(Endpoints[Name]["body"] extends infer Body extends z.ZodRawShape
		? Name extends "uploadFile"
			? unknown
			: Body
		: unknown) &
	(Name extends "jobLogs" | "cancelJob" ? { job_id: typeof pathId } : unknown);
type ObjectOf<Shape> = Shape extends z.ZodRawShape ? z.infer<z.ZodObject<Shape>> : never;

describe("public types are those of the schemas", () => {
	test("of storage parameters", () => {
		expectTypeOf<Flat<storage.S3Args>>().toEqualTypeOf<InputsOf<typeof schemas.s3Shape>>();
		expectTypeOf<Flat<storage.GsArgs>>().toEqualTypeOf<InputsOf<typeof schemas.gsShape>>();
		expectTypeOf<Flat<storage.AzArgs>>().toEqualTypeOf<InputsOf<typeof schemas.azShape>>();
		expectTypeOf<Flat<storage.HfArgs>>().toEqualTypeOf<InputsOf<typeof schemas.hfShape>>();
		expectTypeOf<keyof storage.StorageByKind>().toEqualTypeOf<storage.StorageKind>();
	});

	test("of lookups", () => {
		expectTypeOf<Flat<datachain.ComputeCluster>>().toEqualTypeOf<CamelKeys<Cluster>>();
		expectTypeOf<Flat<datachain.ScheduleListItem>>().toEqualTypeOf<CamelKeys<ScheduleItem>>();
		// Steps are maps with the service's own keys, which no schema names.
		type Described = Omit<CamelKeys<Job>, "steps"> & { steps?: Record<string, unknown>[] };
		expectTypeOf<Flat<datachain.JobResult>>().toEqualTypeOf<
			Flat<WithEnvironment<Described, "environment">>
		>();
		expectTypeOf<Flat<datachain.PipelineResult>>().toEqualTypeOf<
			Flat<WithEnvironment<CamelKeys<Pipeline>, "environmentVariables">>
		>();
	});

	test("of requests and replies", () => {
		expectTypeOf<EndpointName>().toEqualTypeOf<keyof Endpoints>();
		type Requests = { [Name in EndpointName]: Flat<client.RequestOf<Name>> };
		expectTypeOf<Requests>().toEqualTypeOf<{ [Name in EndpointName]: ObjectOf<ShapeOf<Name>> }>();
		type Replies = { [Name in EndpointName]: Flat<client.ReplyOf<Name>> };
		expectTypeOf<Replies>().toEqualTypeOf<{
			[Name in EndpointName]: Flat<z.infer<Endpoints[Name]["reply"]>>;
		}>();
		expectTypeOf<client.FollowLogsRequest>().toEqualTypeOf<z.infer<typeof followRequestSchema>>();
	});

	test("of the local server's faults", () => {
		expectTypeOf<Flat<server.FaultRule>>().toEqualTypeOf<Flat<z.infer<typeof faultRuleSchema>>>();
	});
});
