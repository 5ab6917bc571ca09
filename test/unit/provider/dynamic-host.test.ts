import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { beforeEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import {
	engineCancel,
	sayingOnce,
	serveDynamically,
} from "../../../src/provider/hosts/dynamic-host";
import { secretValue } from "../../../src/provider/model/props";
import { type Call, createContext } from "../../../src/provider/run/context";
import {
	PartialFailureError,
	type ResourceHandler,
} from "../../../src/provider/run/handler";
import { NOWHERE } from "../../helpers/api-calls";

const TYPE = "pulumi-nodejs:dynamic/datachain:JobFile";
const time = { now: () => 1_000, sleep: async () => {} };
const said: unknown[] = [];
const context = createContext({ env: NOWHERE }, (...line) => said.push(line), { time });
const noConfig = { config: { get: () => undefined } };

/** The calls that the handler got in a test. */
let calls: Call[];
const noted = <Answer>(call: Call, answer: Answer): Answer => {
	calls.push(call);
	return answer;
};

const handler = (overrides: Partial<ResourceHandler> = {}): ResourceHandler => ({
	fields: { a: { schema: z.unknown(), change: "update" } },
	check: async (call, _olds, news) => noted(call, { inputs: news, problems: [] }),
	diff: async (call) =>
		noted(call, { changes: false, replaces: [], deleteBeforeReplace: false }),
	create: async (call, inputs) => noted(call, { id: "1", outs: inputs }),
	read: async (_call, id, outs) => ({ state: { id, outs, inputs: outs } }),
	update: async (call, _id, _olds, news) => noted(call, { outs: news }),
	delete: async (call) => noted(call, undefined),
	...overrides,
});

const configured = (overrides: Partial<ResourceHandler> = {}) => {
	const provider = serveDynamically(handler(overrides), () => context, TYPE);
	provider.configure(noConfig);
	return provider;
};

/** One that notes what it is told. */
let provider: ReturnType<typeof configured>;
beforeEach(() => {
	calls = [];
	provider = configured();
});

describe("the dynamic host", () => {
	it("asks for namespaced config keys only", async () => {
		const asked: string[] = [];
		const contextOf = (config: (key: "token") => unknown) => {
			config("token");
			return context;
		};
		const provider = serveDynamically(handler(), contextOf, TYPE);
		provider.configure({ config: { get: (key) => void asked.push(key) as undefined } });
		await provider.create({});
		expect(asked).toEqual(["datachain:token"]);
	});

	it("hands out JSON without undefined, null or dates, and a text as id, so that no create can fail afterwards", async () => {
		const provider = configured({
			create: async () => ({
				id: 7 as unknown as string,
				outs: { a: undefined, b: null, c: new Date(0), d: { e: undefined } },
			}),
		});
		expect(await provider.create({})).toEqual({
			id: "7",
			outs: { c: "1970-01-01T00:00:00.000Z", d: {}, __made: 1_000 },
		});
	});

	it("answers when the engine has what was said", async () => {
		const arrived = vi.fn(async () => {});
		const provider = serveDynamically(handler(), () => context, TYPE, arrived);
		provider.configure(noConfig);
		await provider.create({});
		expect(arrived).toHaveBeenCalledOnce();
	});

	it("fails where it was not configured, and says that this is a bug", async () => {
		await expect(
			serveDynamically(handler(), () => context, TYPE).create({}),
		).rejects.toThrow(
			"The DataChain provider was called before it was configured. Please report this as a bug.",
		);
	});

	it("hands on what is thrown and no error as it is", async () => {
		const provider = configured({ delete: () => Promise.reject("a text") });
		await expect(provider.delete("1", {})).rejects.toBe("a text");
	});

	it("gives check failures an empty property, because the engine prints the value of a named one", async () => {
		const provider = configured({
			check: async (_context, _olds, news) => ({
				inputs: news,
				problems: [{ field: "environment", reason: "environment: bad." }],
			}),
		});
		expect((await provider.check({}, {})).failures).toEqual([
			{ property: "", reason: "environment: bad." },
		]);
	});

	it("throws without a stack trace, and prints it only where requests are logged", async () => {
		const provider = configured({ delete: () => Promise.reject(new Error("no")) });
		const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
		onTestFinished(() => printed.mockRestore());
		const trace = async () =>
			(await provider.delete("1", {}).catch((error: Error) => error))?.stack;
		expect([await trace(), printed.mock.calls]).toEqual(["", []]);
		provider.configure({
			config: { get: (key) => (key === "datachain:log" ? "debug" : undefined) },
		});
		expect([await trace(), printed.mock.calls]).toEqual([
			"",
			[[expect.stringMatching(/^Error: no\n {4}at /)]],
		]);
	});
});

describe("what the host tells the handlers of a call", () => {
	const URN = `urn:pulumi:dev::shop::${TYPE}::a`;
	const RESOURCE = `${TYPE}::a`;
	const KEPT = "::a";
	it("is which resource is calling, and under which name the state has it", async () => {
		await provider.create({ __urn: URN });
		await provider.diff("1", { __urn: "urn:old" }, { __urn: URN });
		await provider.diff("1", {}, { __urn: URN });
		await provider.delete("1", { __urn: URN });
		expect(calls.map(({ urn, stateUrn }) => [urn, stateUrn])).toEqual([
			[RESOURCE, undefined],
			[RESOURCE, "urn:old"],
			[RESOURCE, undefined],
			[RESOURCE, RESOURCE],
		]);
	});

	it.each([
		["at the top of the program", "", "a"],
		["below components", "my:Site$my:Part$", "a"],
		[
			"below a component whose type looks like the beginning of a URN",
			"urn:pulumi:Site$",
			"a",
		],
		["with signs in its name that URNs have a meaning for", "", "a::b$&\nc$$"],
	])(
		"is the same resource by its URN and by the short form in the state, %s",
		async (_, parents, name) => {
			const urn = `urn:pulumi:dev::shop::${parents}${TYPE}::${name}`;
			const { inputs } = await provider.check({}, { __urn: urn });
			expect(inputs.__urn).toBe(`${parents}::${name}`);
			const { outs } = await provider.create(inputs);
			const read = await provider.read("1", outs);
			expect([outs.__urn, read.props?.__urn, read.inputs?.__urn]).toEqual(
				Array(3).fill(inputs.__urn),
			);
			// A state from before there was a short form, and one of another stack's name.
			await provider.delete("1", { __urn: urn });
			await provider.delete("1", { __urn: urn.replace("dev", "prod") });
			expect(new Set(calls.map((call) => call.urn))).toEqual(
				new Set([`${parents}${TYPE}::${name}`]),
			);
		},
	);

	it("is another resource where the plugin wrote the state", async () => {
		const urn = "urn:pulumi:dev::shop::datachain:index:JobFile::a";
		const read = await provider.read("1", { __urn: urn });
		expect(read.props).toEqual({ __urn: urn });
		await provider.diff("1", { __urn: urn }, { __urn: URN });
		expect(calls).toMatchObject([
			{ urn: RESOURCE, stateUrn: "datachain:index:JobFile::a" },
		]);
	});

	it("is shown with the resource, by its whole URN", async () => {
		const provider = configured({
			delete: async ({ notice, line }) => void [notice("a"), line("b")],
		});
		await provider.delete("1", { __urn: URN });
		expect(said.flat()).toEqual(["a", URN, "b", URN]);
	});

	it("is whose stack it is, from the first check on, and whether it is a preview", async () => {
		await provider.check({}, { __urn: URN, __preview: true });
		await provider.create({ __urn: "::nightly" });
		const program = { stack: "dev", project: "shop" };
		expect(calls.flatMap((call) => [call.program, call.preview])).toEqual([
			program,
			true,
			program,
			false,
		]);
	});

	it("is another resource for each call that names none, so that none passes for another", async () => {
		await provider.delete("1", {});
		await provider.delete("1", {});
		expect(new Set(calls.map(({ urn }) => urn)).size).toBe(2);
	});

	it("is nothing that has another form than ours", async () => {
		const odd = { __urn: 7, __made: "then", __secret: "text", __preview: "yes" };
		await provider.diff("1", odd, odd);
		const nothing = {
			stateUrn: undefined,
			madeAt: undefined,
			secrets: [],
			preview: false,
		};
		expect(calls).toMatchObject([
			{ urn: expect.stringMatching(/^unnamed \d+$/), ...nothing },
		]);
	});

	it("is whether other inputs became secret, which a new resource has none of", async () => {
		const news = { __urn: URN, __secret: ["text"] };
		const changed = [
			await provider.diff("1", { __urn: URN }, news),
			await provider.diff("1", news, news),
			await provider.diff("1", {}, news),
		];
		expect(calls.map(({ secretsMoved }) => secretsMoved)).toEqual([true, false, false]);
		expect(changed.map(({ changes }) => changes)).toEqual([true, false, false]);
	});

	it("is when the resource was made, through updates and refreshes", async () => {
		const { outs } = await provider.create({ __urn: URN, a: 1 });
		const updated = await provider.update("1", outs, { __urn: URN, a: 2 });
		const read = await provider.read("1", updated.outs);
		expect(read.props).toEqual({ a: 2, __urn: KEPT, __made: 1_000 });
		expect(read.inputs).not.toHaveProperty("__made");
		await provider.delete("1", read.props ?? {});
		expect(calls.at(-1)?.madeAt).toBe(1_000);
	});

	it("keeps a secret one until the update that makes it plain is done, in the state and in a refresh of it", async () => {
		const provider = configured({
			update: async () => {
				throw new PartialFailureError(
					"9",
					{ a: "canary", b: { "c.d": "canary", e: 1 }, f: 2 },
					"not yet",
				);
			},
		});
		const olds = { __urn: URN, __secret: ["a", "b.c.d", "f"], __made: 7 };
		const own = { __urn: URN, __provider: "code" };
		const news = { a: "plain", b: { "c.d": "plain" }, f: 2, ...own, __secret: ["f"] };
		const failure = await provider.update("9", olds, news).catch((error) => error);
		expect(failure).toMatchObject({ id: "9", reasons: ["not yet"] });
		expect(failure.properties).toMatchObject({
			a: secretValue("canary"),
			b: { "c.d": secretValue("canary"), e: 1 },
			f: secretValue(2),
			__secret: ["f", "a", "b.c.d"],
			__urn: KEPT,
			__made: 7,
			__provider: "code",
		});
		const stored = {
			a: "canary",
			b: { "c.d": "canary" },
			__urn: KEPT,
			__secret: ["a", "b.c.d"],
		};
		expect((await provider.read("9", stored)).inputs).toMatchObject({
			a: secretValue("canary"),
			b: { "c.d": secretValue("canary") },
		});
	});

	it("keeps one that is secret as a whole now in one piece", async () => {
		const provider = configured({
			update: async () => {
				throw new PartialFailureError("9", { b: { c: "canary" } }, "not yet");
			},
		});
		const olds = { __urn: URN, __secret: ["b.c"] };
		await expect(
			provider.update("9", olds, { __urn: URN, __secret: ["b"] }),
		).rejects.toMatchObject({
			properties: { b: secretValue({ c: "canary" }), __secret: ["b", "b.c"] },
		});
	});
});

it("the engine's cancel is overheard at the process's own server, and no other call is taken for it", async () => {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	server.on("stream", (stream) => {
		stream.respond({ ":status": 200 });
		stream.end();
	});
	const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	onTestFinished(() => {
		client.close();
		server.close();
	});
	const signal = engineCancel();
	expect(engineCancel()).toBe(signal);
	const call = async (method: string) => {
		const stream = client.request({
			":method": "POST",
			":path": `/pulumirpc.ResourceProvider/${method}`,
		});
		await once(stream.resume().end(), "end");
	};
	await call("Check");
	expect(signal.aborted).toBe(false);
	await call("Cancel");
	expect(signal.aborted).toBe(true);
});

test("what the host prints of an error that it also answers is left out, and nothing else", () => {
	const usual = console.error;
	onTestFinished(() => {
		console.error = usual;
	});
	const printed = vi.fn();
	console.error = printed;
	const sayOnce = sayingOnce();
	const error = new Error("no");
	sayOnce(error);
	const listening = console.error;
	sayOnce(new Error("another"));
	expect(console.error).toBe(listening);
	// As the host does, for each operation that failed.
	for (let times = 0; times < 2; times++) console.error(`${error}: ${error.stack}`);
	const others = [
		["something else"],
		[new Error("of somebody else")],
		[`${error}: `, "and more"],
	];
	for (const args of others) console.error(...args);
	expect(printed.mock.calls).toEqual(others);
});
