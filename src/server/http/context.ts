import type { HttpBindings } from "@hono/node-server";
import type { Faults } from "../faults";
import type { Store } from "../persistence";
import type { RequestLog } from "../request-log";
import type { World } from "../world";
import type { Tokens } from "./auth";
import type { LogBlobs } from "./log-blobs";

/** What every request handler works with. */
export interface ServerContext {
	readonly world: World;
	readonly store: Store;
	readonly tokens: Tokens;
	readonly faults: Faults;
	readonly requests: RequestLog;
	readonly blobs: LogBlobs;
	readonly limits: {
		readonly jsonBytes: number;
		readonly uploadBytes: number;
		readonly bodyMillis: number;
		readonly pingMillis: number;
	};
	/** http://host:port, known once the server listens. */
	readonly url: () => string;
	readonly log: (line: string) => void;
}

export interface HonoEnv {
	Bindings: HttpBindings;
	Variables: { sentStatus?: number };
}
