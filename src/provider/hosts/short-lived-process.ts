import { setFlagsFromString } from "node:v8";
import { z } from "zod";

// zod would compile code for each schema at its first use. That pays for none of ours, even with thousands of replies.
z.config({ jitless: true });

// V8 would optimise undici's HTTP parser after a request or two: 0.1 s of computing, as much as all the rest that a refresh
// of ten schedules costs. This puts it off until hundreds of replies are parsed. A flag that a later V8 no longer has
// would be reported to the user, so only versions that are known to have it get it.
if (Number.parseInt(process.versions.node, 10) <= 24)
	setFlagsFromString("--wasm-tiering-budget=100000000");
