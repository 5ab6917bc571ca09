import { z } from "zod";

// zod would compile code for each schema at its first use. That pays for none of ours, even with thousands of replies.
z.config({ jitless: true });
