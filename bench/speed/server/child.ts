import { type LocalServer, startServer } from "../../../src/server";
import { answerQuestions } from "../child";
import type { Question, ServerAnswer } from ".";

let server: LocalServer | undefined;

async function answer(question: Question): Promise<ServerAnswer> {
	if (question.kind === "start") {
		await server?.close();
		server = await startServer({ faults: true });
		if (question.delayMs > 0) server.faults.add({ kind: "delay", ms: question.delayMs });
	}
	if (server === undefined) throw new Error("The server was not started; ask it to start first.");
	if (question.kind !== "count") server.requests.clear();
	const { entries, maxInFlight } = server.requests;
	const endpoints: Record<string, number> = {};
	for (const { endpoint = "other" } of entries) endpoints[endpoint] = (endpoints[endpoint] ?? 0) + 1;
	return { environment: server.environment, requests: entries.length, maxInFlight, endpoints };
}

answerQuestions(answer);
