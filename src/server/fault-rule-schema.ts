import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { FaultTarget } from "./fault-rules";

const targets: readonly FaultTarget[] = [...(Object.keys(endpoints) as EndpointName[]), "followLogs", "*"];

const ms = z.number().min(0).max(3_600_000);
const status = z.int().min(400).max(599);
const afterWork = z.boolean().optional();
const where = {
	endpoint: z.enum(targets).optional(),
	team: z.string().optional(),
};
const common = {
	...where,
	times: z.int().min(1).optional(),
	skip: z.int().min(0).optional(),
	probability: z.number().min(0).max(1).optional(),
	seed: z.int().optional(),
};
const path = z.string().min(1);
const limit = z.int().min(1);

export const faultRuleSchema = z.discriminatedUnion("kind", [
	z.strictObject({ ...common, kind: z.literal("delay"), ms }),
	z.strictObject({ ...common, kind: z.literal("reset-before") }),
	z.strictObject({ ...common, kind: z.literal("reset-after") }),
	z.strictObject({
		...common,
		kind: z.literal("status"),
		status,
		retryAfter: z.union([z.number(), z.string().regex(/^[\x20-\x7e]+$/)]).optional(),
		message: z.string().optional(),
		afterWork,
	}),
	z.strictObject({
		...common,
		kind: z.literal("html"),
		status: z.int().min(200).max(599).optional(),
		afterWork,
	}),
	z.strictObject({ ...common, kind: z.literal("truncated-json") }),
	z.strictObject({ ...common, kind: z.literal("endless-body") }),
	z.strictObject({ ...common, kind: z.literal("late-commit"), ms }),
	z.strictObject({ ...common, kind: z.literal("slow-body"), ms }),
	z.strictObject({ ...common, kind: z.literal("drop-log-socket"), frames: z.int().min(0) }),
	z.strictObject({ ...common, kind: z.literal("failed-upload"), message: z.string().optional() }),
	z.strictObject({ ...common, kind: z.literal("late-effect"), ms }),
	z.strictObject({ ...common, kind: z.literal("stale-read"), ms }),
	z.strictObject({ ...common, kind: z.literal("stale-list"), ms }),
	z.strictObject({
		...common,
		kind: z.literal("capped-list"),
		limit: z.int().min(0),
		which: z.enum(["oldest", "newest"]),
	}),
	z.strictObject({
		...common,
		kind: z.literal("rewrite"),
		set: z.record(path, z.unknown()).optional(),
		remove: z.array(path).optional(),
		fraction: z.record(path, z.int().min(0).max(9)).optional(),
	}),
	z.discriminatedUnion("shape", [
		z.strictObject({
			...where,
			kind: z.literal("rate-limit"),
			shape: z.literal("window"),
			limit,
			windowMs: z.int().min(1).max(3_600_000),
		}),
		z.strictObject({
			...where,
			kind: z.literal("rate-limit"),
			shape: z.literal("bucket"),
			limit,
			perSecond: z.number().positive(),
		}),
	]),
]);
