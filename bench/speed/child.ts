import { type ChildProcess, fork } from "node:child_process";
import { onExit } from "../../tools/process/cleanup";

/** A file of ours as a process of its own, asked over its IPC channel one question at a time. */
export interface Child<Question, Answer> {
	ask(question: Question): Promise<Answer>;
	end(): void;
}

const answerMs = 10 * 60_000;

export function forkChild<Question extends object, Answer>(file: string): Child<Question, Answer> {
	const child = fork(file, [], {
		execArgv: ["--require", "ts-node/register"],
		stdio: ["ignore", "inherit", "inherit", "ipc"],
	});
	const end = () => void child.kill("SIGKILL");
	const withdraw = onExit(end);
	child.once("exit", withdraw);
	return { ask: (question) => answerOf(child, file, question), end };
}

/** What a child sends: the answer, or why there is none. */
type Reply<Answer> = { answer: Answer } | { problem: string };

function answerOf<Answer>(child: ChildProcess, file: string, question: object): Promise<Answer> {
	return new Promise((resolve, reject) => {
		const settle = (act: () => void) => {
			clearTimeout(timer);
			child.off("message", onMessage);
			child.off("exit", onEnd);
			act();
		};
		const fail = (why: string) => settle(() => reject(new Error(`${file} gave no answer: ${why}`)));
		const onMessage = (reply: Reply<Answer>) =>
			"answer" in reply ? settle(() => resolve(reply.answer)) : fail(reply.problem);
		const onEnd = (code: number | null) => fail(`it ended with ${code ?? "a signal"}`);
		const timer = setTimeout(() => fail(`nothing for ${answerMs / 60_000} minutes`), answerMs);
		child.on("message", onMessage);
		child.once("exit", onEnd);
		child.send(question, (error) => error && fail(error.message));
	});
}

/** The other end: answers each question in turn. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
	process.on("message", (question: Question) => {
		answer(question).then(
			(reply) => process.send?.({ answer: reply }),
			(error: unknown) => process.send?.({ problem: error instanceof Error ? error.message : String(error) }),
		);
	});
	// Whoever asked is gone.
	process.on("disconnect", () => process.exit());
}
