import type { CallFacts } from "../../src/api/errors/api-error";

/** What is known about some call; a message about it begins with `Could not do it (POST /x/, request r-1): `. */
export const callFacts = (given: Partial<CallFacts> = {}): CallFacts => ({
	what: "do it",
	method: "POST",
	path: "/x/",
	attempts: 1,
	teamName: "ml",
	namesObject: true,
	receivedBefore: false,
	requestId: "r-1",
	baseUrl: "https://studio.example.com/api",
	...given,
});
