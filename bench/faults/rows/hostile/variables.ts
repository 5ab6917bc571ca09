import { createContext } from "../../../../src/provider/context";
import { type DynamicProvider, serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { startServer } from "../../../../src/server";

const CANARY = "canary-value";

/** Variables that would become two, or none, in a form of one line each. */
const VARIABLES: readonly Record<string, string>[] = [
	{ A: `${CANARY}\nINJECTED=1` },
	{ A: `${CANARY}\r\nINJECTED=1` },
	{ A: `${CANARY}\rINJECTED=1` },
	{ A: `${CANARY}\u0000INJECTED=1` },
	{ A: `\n${CANARY}` },
	{ A: `${CANARY}\n` },
	{ "A\nINJECTED": CANARY },
	{ "A=1\nINJECTED": CANARY },
	{ "A\u0000": CANARY },
	{ "A=B": CANARY },
	{ "": CANARY },
	{ "A B": CANARY },
	{ B: "fine", A: `${CANARY}\n# a comment` },
];

export interface VariablesOutcome {
	readonly tried: number;
	readonly problems: readonly string[];
}

/** The provider over a real server: a line break in a value is refused at check, and again by create and update. */
export async function hostileVariables(): Promise<VariablesOutcome> {
	const server = await startServer();
	const env = { ...server.environment };
	const context = createContext({ env }, () => {});
	const provider = serveDynamically(pipelineSettings, () => context);
	provider.configure({ config: { get: () => undefined } });
	const problems: string[] = [];
	const before = await liveVariables(server);
	try {
		for (const environment of VARIABLES) {
			const problem = await tryOne(provider, environment);
			if (problem !== undefined) problems.push(`${JSON.stringify(environment)}: ${problem}`);
		}
		const after = await liveVariables(server);
		if (after !== before) problems.push(`the variables became ${after}`);
	} finally {
		await context.client.close();
		await server.close();
	}
	return { tried: VARIABLES.length * 3, problems };
}

async function tryOne(
	provider: DynamicProvider,
	environment: Record<string, string>,
): Promise<string | undefined> {
	const inputs = {
		pipelineName: "nightly-images",
		teamName: "vision",
		adopt: true,
		onDestroy: "keep",
		environment,
	};
	const { failures } = await provider.check({}, inputs);
	const reasons = failures.map(({ reason }) => reason).join(" ");
	if (!reasons.includes("environment")) return `check said "${reasons}"`;
	if (reasons.includes(CANARY)) return "check repeated the value";
	const olds = { ...inputs, environment: {} };
	const id = "vision/nightly-images";
	for (const write of [() => provider.create(inputs), () => provider.update(id, olds, inputs)]) {
		const outcome = await write().then(
			() => "it was written",
			(error: unknown) => (String(error).includes(CANARY) ? "the error repeated the value" : undefined),
		);
		if (outcome !== undefined) return outcome;
	}
	return undefined;
}

async function liveVariables(server: { url: string; token: string }): Promise<string> {
	const response = await fetch(`${server.url}/api/datachain/pipeline/status?name=nightly-images`, {
		headers: { Authorization: `Bearer ${server.token}` },
		signal: AbortSignal.timeout(5_000),
	});
	const pipeline: unknown = await response.json();
	const found =
		typeof pipeline === "object" && pipeline !== null && "environment_variables" in pipeline
			? pipeline.environment_variables
			: undefined;
	return JSON.stringify(found);
}
