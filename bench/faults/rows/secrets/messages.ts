import { createClient, resolveConnection } from "../../../../src/api";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import { serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { jobFile } from "../../../../src/provider/job-file/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { TeamLists } from "../../../../src/provider/shared/team-lists";
import { type FaultRule, startServer } from "../../../../src/server";
import type { Canaries } from "./canaries";
import type { Findings } from "./places";

/** Long enough to connect on a busy machine, short enough to wait for. */
const IMPATIENT = { attemptTimeoutMillis: 250, deadlineMillis: 700, maxAttempts: 2 };

/** What can go wrong on the way, with a service that repeats what it was sent. */
const faults = (message: string): readonly { readonly name: string; readonly rule: FaultRule }[] => [
	...[400, 401, 403, 409, 500].map((status) => ({
		name: String(status),
		rule: { kind: "status" as const, status, message },
	})),
	{ name: "429", rule: { kind: "status", status: 429, message, retryAfter: 1 } },
	{ name: "timeout", rule: { kind: "delay", ms: 5_000 } },
	{ name: "slow body", rule: { kind: "slow-body", ms: 5_000 } },
	{ name: "reset", rule: { kind: "reset-before" } },
	{ name: "truncated", rule: { kind: "truncated-json" } },
	{ name: "html", rule: { kind: "html", status: 502 } },
];

/** Errors, time-outs and lost connections over real sockets, with short limits: what each of them says. */
export async function searchMessages(canaries: Canaries, findings: Findings): Promise<string[]> {
	const token = canaries.word("message token");
	const log: string[] = [];
	const server = await startServer({ token, faults: true, log: (line) => log.push(line) });
	const silent: string[] = [];
	try {
		for (const [index, { name }] of faults("").entries()) {
			// Fresh values each time: what an earlier attempt has set after all is not sent again.
			const sent = whatIsSent(canaries, `message ${name}`);
			server.faults.clear();
			for (const endpoint of ["updateSettings", "uploadFile"] as const) {
				const fault = faults(`no ${token}: ${sent.echoes[endpoint]}`)[index];
				if (fault !== undefined) server.faults.add({ ...fault.rule, endpoint });
			}
			const context = impatient(server.environment, (line) => log.push(line));
			const attempts = await Promise.allSettled([
				serve(pipelineSettings, context).create(sent.settings),
				serve(jobFile, context).create(sent.file),
			]);
			for (const [which, attempt] of attempts.entries()) {
				if (attempt.status === "fulfilled") silent.push(`${name}, ${which === 0 ? "settings" : "file"}`);
				else findings.search("messages", name, everythingIn(attempt.reason));
			}
			await context.client.close();
		}
	} finally {
		await server.close();
	}
	findings.search("server log", "errors", log.join("\n"));
	return silent;
}

/** The inputs of two resources, and what a service could repeat of each request. */
function whatIsSent(canaries: Canaries, round: string) {
	const secret = canaries.text(`${round} environment`);
	const password = canaries.word(`${round} repository`);
	const text = canaries.text(`${round} JobFile text`);
	const repository = `https://u:${password}@example.com/r.git`;
	const common = { teamName: "vision" };
	return {
		settings: {
			...common,
			pipelineName: "rusty-vise",
			onDestroy: "keep",
			environment: { OURS: secret },
			repository,
		},
		file: { ...common, text, name: "f.txt", contentHash: "" },
		echoes: {
			updateSettings: `OURS=${secret}, ${JSON.stringify(secret)}, ${repository}, ${password}`,
			uploadFile: text,
		},
	};
}

function impatient(env: NodeJS.ProcessEnv, notice: (line: string) => void): ProviderContext {
	const context = createContext({ env }, notice);
	const client = createClient(resolveConnection({ env }), IMPATIENT);
	return { ...context, client, lists: new TeamLists(client) };
}

function serve(handler: typeof jobFile, context: ProviderContext) {
	const provider = serveDynamically(handler, () => context);
	provider.configure({ config: { get: () => undefined } });
	return provider;
}

/** All that a host could print of an error, causes and properties included. */
function everythingIn(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const own = Object.getOwnPropertyNames(error).map((key) => {
		const value: unknown = Reflect.get(error, key);
		return value instanceof Error
			? everythingIn(value)
			: `${key} ${JSON.stringify(value) ?? ""} ${String(value)}`;
	});
	return own.join("\n");
}
