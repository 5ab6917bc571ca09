import { expect, test } from "vitest";
import type { Call } from "../../../src/provider/context";
import { type Props, problem, type ResourceHandler } from "../../../src/provider/handler";
import { discreet } from "../../../src/provider/shared/discreet";

/** What a handler lets out that says this, however it says it. */
async function told(text: string, secrets: readonly string[], inputs: Props): Promise<string> {
	const notices: string[] = [];
	const call = { secrets, notice: (line: string) => notices.push(line) } as unknown as Call;
	const handler = {
		fields: { name: {}, datasets: {}, environment: { hidden: true } },
		check: async (given: Call) => {
			given.notice(text);
			return { inputs, problems: [problem("name", text)] };
		},
		create: async () => {
			throw new Error(text);
		},
	};
	const quiet = discreet(handler as unknown as ResourceHandler);
	const { problems } = await quiet.check(call, {}, inputs);
	const error: Error = await quiet.create(call, inputs).then(
		() => new Error("it did not fail"),
		(failure) => failure,
	);
	expect(problems).toEqual([problem("name", error.message)]);
	expect(notices).toEqual([error.message]);
	expect(error.stack).toContain(error.message);
	expect(error.stack).toContain("discreet.test.ts");
	return error.message;
}

test.each<[string, Props, string, string]>([
	[
		"name",
		{ name: "main" },
		'the main one, "main", in maintenance',
		'the [redacted] one, "[redacted]", in maintenance',
	],
	["name", { name: "run" }, 'run "run" again', "run [redacted] again"],
	["name", { name: 'a"b' }, 'it is "a\\"b" now', "it is [redacted] now"],
	[
		"datasets.1",
		{ datasets: ["dev.a.raw", "dev.a.clean"] },
		"dev.a.raw, dev.a.clean",
		"dev.a.raw, [redacted]",
	],
	[
		"datasets",
		{ datasets: ["dev.a.raw", "dev.a.clean"] },
		"dev.a.raw, dev.a.clean",
		"[redacted], [redacted]",
	],
	["unheard-of", { "unheard-of": "sesame" }, "open sesame", "open [redacted]"],
	["name", {}, "undefined", "undefined"],
	// No message repeats these, and what they hold may be any word.
	["environment", { environment: "service" }, "The service says no", "The service says no"],
	["environment.A", { environment: { A: "service" } }, "The service says no", "The service says no"],
])("the secret %s of %j is taken out of what is said", async (path, inputs, text, expected) => {
	expect(await told(text, [path], inputs)).toBe(expected);
	expect(await told(text, [], inputs)).toBe(text);
});

test("what is thrown and is no error stays as it is", async () => {
	const handler = { fields: {}, read: () => Promise.reject("sesame") } as unknown as ResourceHandler;
	const call = { secrets: ["name"] } as unknown as Call;
	await expect(discreet(handler).read(call, "7", { name: "sesame" })).rejects.toBe("sesame");
});
