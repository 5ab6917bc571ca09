import { expect, test } from "vitest";
import { EngineLog } from "../../../src/provider/engine-log";

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
