import { providerStub } from "../../../../src/boundary/stub";
import type { Host, Props } from "./host";

/** Inputs of each kind that are right, and lack the team: only a configured provider can fill it in. */
const INPUTS: readonly [string, (index: number) => Props][] = [
	[
		"schedule",
		(index) => ({ scheduleName: `first-${index}`, pipelineName: "rusty-vise", cronExpression: "0 3 * * *" }),
	],
	["settings", () => ({ pipelineName: "rusty-vise", workers: 3, adopt: true })],
	["file", (index) => ({ name: `${index}.txt`, text: "abc" })],
];

/** A provider as one is quickly written: its `configure` waits for something, if only for a moment. */
const WAITS =
	"exports.handler=()=>{let team;return{async configure(r){await null;team=r.config.get('datachain:teamName')}," +
	"async check(olds,news){return{inputs:{...news,teamName:team}}}}}";

export interface FirstCalls {
	/** What the calls met that were answered without the configuration, or not at all. */
	readonly unconfigured: string[];
	/** How many of the same calls a provider answers unconfigured whose `configure` waits. */
	readonly whereItWaits: number;
}

/** Calls that arrive before the provider's first `configure` has had a chance to finish. */
export async function firstCalls(host: Host, team: string, count: number): Promise<FirstCalls> {
	const indices = Array.from({ length: count }, (_, index) => index);
	const overGrpc = await Promise.all(
		indices.map((index) => {
			const [kind, inputs] = INPUTS[index % INPUTS.length] ?? ["", () => ({})];
			return answerOf(host, { ...inputs(index), __provider: providerStub(kind) });
		}),
	);
	const inOneTick = await Promise.all(
		INPUTS.map(([kind, inputs], which) =>
			answersInOneTick(
				host,
				providerStub(kind),
				indices.filter((index) => index % INPUTS.length === which).map(inputs),
			),
		),
	);
	const wrong = (answers: readonly string[]) => answers.filter((answer) => answer !== team);
	const waiting = await answersInOneTick(
		host,
		WAITS,
		indices.map((index) => ({ index })),
	);
	return { unconfigured: wrong([...overGrpc, ...inOneTick.flat()]), whereItWaits: wrong(waiting).length };
}

/** The team that the provider filled in, or what it said instead. */
async function answerOf(host: Host, inputs: Props): Promise<string> {
	try {
		return String((await host.check(inputs)).teamName);
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}

/**
 * The hardest case, which requests over a socket meet only by chance: the host has called `configure`, has not yet
 * waited for it, and hands the provider to all the others. The wrapper plays the host, within the host's process.
 */
async function answersInOneTick(host: Host, provider: string, news: readonly Props[]): Promise<string[]> {
	const wrapper =
		`const inner={};((exports)=>{${provider}})(inner);let request;exports.handler=()=>({configure(r){request=r},` +
		"async check(olds,{news}){const provider=inner.handler();const configured=provider.configure(request);" +
		"const calls=await Promise.allSettled(news.map((one)=>provider.check({},one)));await configured;" +
		"return{inputs:{answers:calls.map((c)=>c.status==='fulfilled'?String(c.value.inputs.teamName):String(c.reason.message))}}}})";
	const { answers } = await host.check({ news, __provider: wrapper });
	if (!Array.isArray(answers)) throw new Error("The provider host gave no answers.");
	return answers.map(String);
}
