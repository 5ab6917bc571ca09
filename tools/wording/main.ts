import { avoidedWords } from "./words";

/** Part of `npm run lint`: the pages and messages use the words that Pulumi's readers know. */
const found = avoidedWords();
for (const line of found) console.error(line);
process.exitCode = found.length > 0 ? 1 : 0;
