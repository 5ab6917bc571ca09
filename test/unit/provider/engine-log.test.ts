import { createRequire } from "node:module";
import { expect, test } from "vitest";
import {
	connectThroughHost,
	EngineLog,
	type SendLine,
} from "../../../src/provider/hosts/engine-log";

test("lines are shown in the order in which they were said, also by an engine that is slow with the first", async () => {
	const [shown, printed]: [unknown[], string[]] = [[], []];
	const delays = [20, 10, 0];
	const connect =
		(address: string) =>
		(severity: string, text: string, urn: string, done: () => void) => {
			const show = () => {
				shown.push([address, severity, text, urn]);
				done();
			};
			setTimeout(show, delays.shift());
		};
	const log = new EngineLog(undefined, connect, (text) => printed.push(text));
	log.info("early");
	log.attach("engine:1");
	log.info("first");
	log.warn("second", "urn");
	log.attach("engine:2");
	log.info("third");
	await log.arrived();
	const first = ["engine:1", "INFO", "first", ""];
	expect(shown).toEqual([
		first,
		["engine:1", "WARNING", "second", "urn"],
		["engine:2", "INFO", "third", ""],
	]);
	// There was no engine yet.
	expect(printed).toEqual(["early"]);
});

test("a line to an engine that is gone counts as arrived, and without the SDK's host none can be sent", async () => {
	const sdk = createRequire(
		require.resolve("@pulumi/pulumi/cmd/dynamic-provider/index.js"),
	);
	const send = connectThroughHost("127.0.0.1:9", { require: sdk }) as SendLine;
	await new Promise<void>((done) => send("WARNING", "text", "urn", done));
	expect(
		connectThroughHost("127.0.0.1:9", { require: createRequire("/") }),
	).toBeUndefined();
	expect(connectThroughHost("127.0.0.1:9")).toBeUndefined();
});
