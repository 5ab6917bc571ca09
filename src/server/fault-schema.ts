import { z } from "zod";
import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { FaultTarget } from "./fault-rules";

/** A file of its own: who imports the server's types must not load those of zod. */
const targets: readonly FaultTarget[] = [
	...(Object.keys(endpoints) as EndpointName[]),
	"followLogs",
	"openApi",
	"*",
];

const ms = z.number().min(0).max(3_600_000);
const afterWork = z.boolean().optional();
const path = z.string().min(1);
const limit = z.int().min(1);
const refused = z.int().min(400).max(599);
const where = {
	endpoint: z.enum(targets).optional(),
	team: z.string().optional(),
};
const rule = <const Kind extends string, Fields extends z.ZodRawShape>(
	kind: Kind,
	fields: Fields,
) =>
	z.strictObject({
		...where,
		times: z.int().min(1).optional(),
		skip: z.int().min(0).optional(),
		kind: z.literal(kind),
		...fields,
	});
const rateLimit = { ...where, kind: z.literal("rate-limit") };

export const faultRuleSchema = z.discriminatedUnion("kind", [
	rule("delay", { ms }),
	rule("reset-before", {}),
	rule("reset-after", {}),
	rule("status", {
		status: z.int().min(400).max(599),
		retryAfter: z.number().min(0).optional(),
		message: z.string().optional(),
		afterWork,
	}),
	rule("html", { status: z.int().min(200).max(599).optional(), afterWork }),
	rule("truncated-json", {}),
	rule("late-commit", { ms }),
	rule("slow-body", { ms }),
	rule("late-effect", { ms, listsOnly: z.boolean().optional() }),
	rule("stale-read", { ms }),
	rule("stale-list", { ms }),
	rule("reversed-list", {}),
	rule("wrapped-list", {}),
	rule("wrong-date", { ms: z.number().min(-1e12).max(1e12) }),
	rule("refusal", { of: refused, status: refused.optional(), field: path.optional() }),
	rule("misread", {
		ignore: z.array(path).optional(),
		set: z.record(path, z.unknown()).optional(),
	}),
	rule("variables", { reading: z.enum(["merge", "unquote"]) }),
	z.strictObject({
		...where,
		kind: z.literal("scheme"),
		only: z.enum(["Bearer", "token"]),
	}),
	rule("capped-list", { limit: z.int().min(0), which: z.enum(["oldest", "newest"]) }),
	rule("rewrite", {
		set: z.record(path, z.unknown()).optional(),
		remove: z.array(path).optional(),
		fraction: z.record(path, z.int().min(0).max(9)).optional(),
		mask: z.record(path, z.enum(["head", "tail", "none"])).optional(),
	}),
	rule("unique-names", {}),
	rule("reused-ids", {}),
	rule("required", { fields: z.array(path).min(1) }),
	z.discriminatedUnion("shape", [
		z.strictObject({
			...rateLimit,
			shape: z.literal("window"),
			limit,
			windowMs: z.int().min(1).max(3_600_000),
		}),
		z.strictObject({
			...rateLimit,
			shape: z.literal("bucket"),
			limit,
			perSecond: z.number().positive(),
		}),
	]),
]);
