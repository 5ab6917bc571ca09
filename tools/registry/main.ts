import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { registryPages } from "./pages";

/** `npm run registry` writes the pages for Pulumi's registry. */
for (const [name, text] of Object.entries(registryPages()))
	writeFileSync(join(repository, "docs", name), text);
