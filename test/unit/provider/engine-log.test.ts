import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { connectThroughHost, EngineLog, type SendLine } from "../../../src/provider/engine-log";

test("lines are shown in the order in which they were said, also by an engine that is slow with the first", async () => {
	const shown: string[] = [];
	const delays = [20, 10, 0];
	const connect = () => (_severity: string, text: string, _urn: string, done: () => void) => {
		const show = () => {
			shown.push(text);
			done();
		};
		setTimeout(show, delays.shift());
	};
	const log = new EngineLog("engine:1", connect, () => {});
	const said = ["first", "second", "third"];
	for (const line of said) log.info(line);
	await log.arrived();
	expect(shown).toEqual(said);
});

test("a line to an engine that is gone counts as arrived, and without the SDK's host none can be sent", async () => {
	const sdk = createRequire(require.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js"));
	const send = connectThroughHost("127.0.0.1:9", { require: sdk }) as SendLine;
	await new Promise<void>((done) => send("WARNING", "text", "urn", done));
	expect(connectThroughHost("127.0.0.1:9", { require: createRequire("/") })).toBeUndefined();
	expect(connectThroughHost("127.0.0.1:9")).toBeUndefined();
});
