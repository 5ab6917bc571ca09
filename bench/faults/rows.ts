import type { Row } from "./row";
import { drift } from "./rows/drift";
import { faults } from "./rows/faults";
import { hostile } from "./rows/hostile";
import { kill } from "./rows/kill";
import { model } from "./rows/model";
import { options } from "./rows/options";
import { properties } from "./rows/properties";
import { races } from "./rows/races";
import { rateLimit } from "./rows/rate-limit";
import { replies } from "./rows/replies";
import { secrets } from "./rows/secrets";

/** Every row, in the order of the table. */
export const rows: readonly Row[] = [
	replies,
	faults,
	kill,
	drift,
	properties,
	secrets,
	races,
	options,
	rateLimit,
	hostile,
	model,
];
