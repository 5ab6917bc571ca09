import { fork } from "node:child_process";
import { type LocalServer, startServer } from "../../src/server";
import { onExit } from "../../tools/process/cleanup";

type Question =
	/** A new server with the seeded team, in place of the one before. */
	| { readonly kind: "start"; readonly delayMs: number }
	/** Forgets the requests so far. */
	| { readonly kind: "clear" }
	| { readonly kind: "count" };

export interface ServerAnswer {
	/** What a client needs to find the server. */
	readonly environment: Readonly<Record<string, string>>;
	readonly requests: number;
	readonly maxInFlight: number;
	readonly endpoints: Readonly<Record<string, number>>;
}

/** What the process sends: the answer, or why there is none. */
type Reply = { readonly answer: ServerAnswer } | { readonly problem: string };

export interface BenchServer {
	start(delayMs: number): Promise<ServerAnswer>;
	clear(): Promise<ServerAnswer>;
	count(): Promise<ServerAnswer>;
	end(): void;
}

const answerMs = 60_000;

/** The local server in a process of its own, so that its work is not counted as anyone else's. */
export function benchServer(): BenchServer {
	const child = fork(__filename, [], {
		execArgv: ["--require", "ts-node/register"],
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const end = () => void child.kill("SIGKILL");
	child.once("exit", onExit(end));
	const ask = (question: Question) =>
		new Promise<ServerAnswer>((resolve, reject) => {
			const settle = (reply: Reply) => {
				clearTimeout(timer);
				child.off("message", settle).off("exit", onEnd);
				if ("answer" in reply) resolve(reply.answer);
				else reject(new Error(`The server gave no answer: ${reply.problem}`));
			};
			const onEnd = (code: number | null) => settle({ problem: `it ended with ${code ?? "a signal"}` });
			const timer = setTimeout(() => settle({ problem: `nothing for ${answerMs / 1000} seconds` }), answerMs);
			child.on("message", settle).once("exit", onEnd);
			child.send(question, (error) => error && settle({ problem: error.message }));
		});
	return {
		start: (delayMs) => ask({ kind: "start", delayMs }),
		clear: () => ask({ kind: "clear" }),
		count: () => ask({ kind: "count" }),
		end,
	};
}

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

if (require.main === module) {
	process.on("message", (question: Question) => {
		answer(question).then(
			(reply) => process.send?.({ answer: reply }),
			(error: unknown) => process.send?.({ problem: error instanceof Error ? error.message : String(error) }),
		);
	});
	// Whoever asked is gone.
	process.on("disconnect", () => process.exit());
}
