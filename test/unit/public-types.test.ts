import type * as pulumi from "@pulumi/pulumi";
import { describe, expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as datachain from "../../src";
import type { CamelKeys } from "../../src/schemas/camel";
import type { Cluster } from "../../src/schemas/cluster";
import type { Job } from "../../src/schemas/job";
import type { Pipeline } from "../../src/schemas/pipeline";
import type { ScheduleItem } from "../../src/schemas/schedule";
import type * as schemas from "../../src/schemas/storage";
import type * as storage from "../../src/storage";

/*
 * The public types are written out, so that a program loads no declarations of zod. These lines keep them equal to
 * what the schemas say; the compiler checks them (`npm run types`).
 */

type InputsOf<Shape> = { [Name in keyof Shape]?: pulumi.Input<z.input<Shape[Name]>> };

/** A result with its environment as a secret Output. */
type WithSecret<T, Name extends string> = Omit<T, Name> & Record<Name, pulumi.Output<Record<string, string>>>;

/** Spelled out key by key, so that intersections compare equal to interfaces. */
type Flat<T> = { [Key in keyof T]: T[Key] };

describe("public types are those of the schemas", () => {
	test("of storage parameters", () => {
		expectTypeOf<Flat<storage.S3Args>>().toEqualTypeOf<InputsOf<typeof schemas.s3Shape>>();
		expectTypeOf<Flat<storage.GsArgs>>().toEqualTypeOf<InputsOf<typeof schemas.gsShape>>();
		expectTypeOf<Flat<storage.AzArgs>>().toEqualTypeOf<InputsOf<typeof schemas.azShape>>();
		expectTypeOf<Flat<storage.HfArgs>>().toEqualTypeOf<InputsOf<typeof schemas.hfShape>>();
		expectTypeOf<storage.StorageKind>().toEqualTypeOf<schemas.StorageKind>();
		expectTypeOf<keyof storage.StorageByKind>().toEqualTypeOf<schemas.StorageKind>();
	});

	test("of lookups", () => {
		expectTypeOf<Flat<datachain.ComputeCluster>>().toEqualTypeOf<CamelKeys<Cluster>>();
		expectTypeOf<Flat<datachain.ScheduleListItem>>().toEqualTypeOf<CamelKeys<ScheduleItem>>();
		// Steps are maps with the service's own keys, which no schema names.
		type Described = Omit<CamelKeys<Job>, "steps"> & { steps?: Record<string, unknown>[] };
		expectTypeOf<Flat<datachain.JobResult>>().toEqualTypeOf<Flat<WithSecret<Described, "environment">>>();
		expectTypeOf<Flat<datachain.PipelineResult>>().toEqualTypeOf<
			Flat<WithSecret<CamelKeys<Pipeline>, "environmentVariables">>
		>();
	});
});
