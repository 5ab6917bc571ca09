import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { pagesWithGo, registryPages } from "./pages";

/** `npm run registry` writes the pages for Pulumi's registry, and the examples in Go of the resources' pages. */
for (const [name, text] of Object.entries({ ...registryPages(), ...pagesWithGo() }))
	writeFileSync(join(repository, "docs", name), text);
