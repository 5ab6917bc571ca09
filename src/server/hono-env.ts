import type { HttpBindings } from "@hono/node-server";

/** What Hono passes along with a request. */
export interface HonoEnv {
	Bindings: HttpBindings;
	Variables: { sentStatus?: number };
}
