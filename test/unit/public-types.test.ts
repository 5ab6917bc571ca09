import type * as pulumi from "@pulumi/pulumi";
import { describe, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as client from "../../src/client";
import type { followRequestSchema, pathId } from "../../src/client/requests";
import type { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type * as server from "../../src/server";
import type { faultRuleSchema } from "../../src/server/fault-schema";
import type * as storage from "../../src/storage";
import type * as schemas from "../../src/storage/rules";

/*
 * The public types are written out, or made from the schemas, so that a program loads no declarations of zod. These lines keep them equal to
 * what the schemas say; the compiler checks them (`npm run types`).
 */

type InputsOf<Shape> = { [Name in keyof Shape]?: pulumi.Input<z.input<Shape[Name]>> };

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
type ObjectOf<Shape> = Shape extends z.ZodRawShape
	? z.infer<z.ZodObject<Shape>>
	: never;

describe("public types are those of the schemas", () => {
	test("of storage parameters", () => {
		expectTypeOf<Flat<storage.S3Args>>().toEqualTypeOf<
			InputsOf<typeof schemas.s3Shape>
		>();
		expectTypeOf<Flat<storage.GsArgs>>().toEqualTypeOf<
			InputsOf<typeof schemas.gsShape>
		>();
		expectTypeOf<Flat<storage.AzArgs>>().toEqualTypeOf<
			InputsOf<typeof schemas.azShape>
		>();
		expectTypeOf<Flat<storage.HfArgs>>().toEqualTypeOf<
			InputsOf<typeof schemas.hfShape>
		>();
		expectTypeOf<keyof storage.StorageByKind>().toEqualTypeOf<storage.StorageKind>();
	});

	test("of requests and replies", () => {
		expectTypeOf<EndpointName>().toEqualTypeOf<keyof Endpoints>();
		type Requests = { [Name in EndpointName]: Flat<client.RequestOf<Name>> };
		expectTypeOf<Requests>().toEqualTypeOf<{
			[Name in EndpointName]: ObjectOf<ShapeOf<Name>>;
		}>();
		type Replies = { [Name in EndpointName]: Flat<client.ReplyOf<Name>> };
		expectTypeOf<Replies>().toEqualTypeOf<{
			[Name in EndpointName]: Flat<z.infer<Endpoints[Name]["reply"]>>;
		}>();
		expectTypeOf<client.FollowLogsRequest>().toEqualTypeOf<
			z.infer<typeof followRequestSchema>
		>();
	});

	test("of the local server's faults", () => {
		expectTypeOf<Flat<server.FaultRule>>().toEqualTypeOf<
			Flat<z.infer<typeof faultRuleSchema>>
		>();
	});
});
