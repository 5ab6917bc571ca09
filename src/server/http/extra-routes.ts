import type { Context, Hono } from "hono";
import { z } from "zod";
import { faultRuleSchema } from "../fault-rule-schema";
import { invalid, notFound } from "../refusal";
import { jobById } from "../state";
import { requireTeam } from "./auth";
import { parseJsonObject, readBody } from "./body";
import type { HonoEnv, ServerContext } from "./context";

/** Paths that the REST document does not have: one the service's client asks for, and the switches for tests. */
export function extraRoutes(app: Hono<HonoEnv>, context: ServerContext): void {
	app.get("/api/datachain/datasets/dataset_job_versions", (c) => {
		const grant = context.tokens.authenticate(c.req.header("authorization"), "read");
		const team = requireTeam(context.world, grant, c.req.query("team_name"));
		const produced = jobById(team, c.req.query("job_id") ?? "")?.produced ?? [];
		const versions = produced.map(({ dataset, version }) => ({ dataset_name: dataset, version }));
		return c.json({ dataset_versions: versions });
	});
	app.get("/api/_blobs/:name", (c) => {
		const text = context.blobs.read(c.req.param("name"));
		if (text === undefined) throw notFound("There is no such log.");
		return c.text(text);
	});
	app.post("/api/_test/faults", async (c) => {
		requireSwitch(context, c, context.faults.enabled, "Faults are off. Start the server with --faults.");
		const parsed = faultRuleSchema.safeParse(parseJsonObject(await readBody(c.env.incoming, context.limits)));
		if (!parsed.success) throw invalid(`Not a fault rule: ${z.prettifyError(parsed.error)}`);
		context.faults.add(parsed.data);
		return c.json({ ok: true });
	});
	app.delete("/api/_test/faults", (c) => {
		requireSwitch(context, c, context.faults.enabled, "Faults are off. Start the server with --faults.");
		context.faults.clear();
		return c.json({ ok: true });
	});
	app.post("/api/_test/clock", async (c) => {
		const { clock } = context.world;
		requireSwitch(context, c, clock.manual, "The clock is the system's and cannot be moved.");
		moveClock(context, parseJsonObject(await readBody(c.env.incoming, context.limits)));
		await context.store.saved();
		return c.json({ now: new Date(clock.now()).toISOString() });
	});
}

/** The token comes first: without one nobody learns which switches there are. */
function requireSwitch(context: ServerContext, c: Context<HonoEnv>, on: boolean, message: string): void {
	context.tokens.authenticate(c.req.header("authorization"), "write");
	if (!on) throw notFound(message);
}

const clockMove = z.union([
	z.strictObject({ advance_ms: z.number().min(0).max(1e12) }),
	z.strictObject({ set: z.string() }),
]);

function moveClock(context: ServerContext, body: Record<string, unknown>): void {
	const move = clockMove.safeParse(body);
	if (!move.success)
		throw invalid("Give advance_ms (a number of milliseconds) or set (an ISO 8601 date-time).");
	try {
		if ("set" in move.data) context.world.clock.set(move.data.set);
		else context.world.clock.advance(move.data.advance_ms);
	} catch (error) {
		if (error instanceof RangeError) throw invalid(error.message);
		throw error;
	}
}
