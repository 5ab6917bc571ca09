import { messages } from "./messages";

/** `npm run messages`: every text that a user can see, with its place. */
const all = messages();
for (const { file, line, sink, text } of all)
	console.log(`${file}:${line}\t${sink}\t${JSON.stringify(text)}`);
console.error(`${all.length} messages`);
