import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/api";
import type { ProviderContext } from "../../../src/provider/context";
import { PartlyDoneError, type ResourceHandler } from "../../../src/provider/handler";
import { serveDynamically } from "../../../src/provider/host/dynamic-host";
import { withinTime } from "../../../src/provider/shared/bounded";

const context = { client: { clusters: {}, schedules: {}, pipelines: {} } } as unknown as ProviderContext;

const handler = (overrides: Partial<ResourceHandler> = {}): ResourceHandler => ({
	fields: {},
	check: async (_context, _olds, news) => ({ inputs: news, problems: [] }),
	diff: async () => ({ changes: false, replaces: [], deleteBeforeReplace: false }),
	create: async (_context, inputs) => ({ id: "1", outs: inputs }),
	read: async (_context, id, outs) => ({ state: { id, outs, inputs: outs } }),
	update: async (_context, _id, _olds, news) => ({ outs: news }),
	delete: async () => undefined,
	...overrides,
});

const configured = (overrides: Partial<ResourceHandler> = {}) => {
	const provider = serveDynamically(handler(overrides), () => context);
	provider.configure({ config: { get: () => undefined } });
	return provider;
};

describe("the dynamic host", () => {
	it("configures synchronously, because the host does not wait before concurrent calls", () => {
		const provider = serveDynamically(handler(), () => context);
		expect(provider.configure({ config: { get: () => undefined } })).toBeUndefined();
	});

	it("asks for namespaced config keys only", () => {
		const asked: string[] = [];
		const provider = serveDynamically(handler(), (config) => {
			config("token");
			return context;
		});
		provider.configure({ config: { get: (key) => void asked.push(key) as undefined } });
		return provider.create({}).then(() => expect(asked).toEqual(["datachain:token"]));
	});

	it("fails clearly in every method while it is unconfigured", async () => {
		const provider = serveDynamically(handler(), () => context);
		for (const call of [
			() => provider.check({}, {}),
			() => provider.diff("1", {}, {}),
			() => provider.create({}),
			() => provider.read("1", {}),
			() => provider.update("1", {}, {}),
			() => provider.delete("1", {}),
		]) {
			await expect(call()).rejects.toThrow("before it was configured");
		}
	});

	it("serves two hundred concurrent first calls configured", async () => {
		const provider = configured();
		const made = await Promise.all(Array.from({ length: 200 }, () => provider.create({ a: 1 })));
		expect(made).toHaveLength(200);
	});

	it("hands out JSON without undefined, null or dates, and a text as id, so that no create can fail afterwards", async () => {
		const provider = configured({
			create: async () => ({
				id: 7 as unknown as string,
				outs: { a: undefined, b: null, c: new Date(0), d: { e: undefined } },
			}),
		});
		expect(await provider.create({})).toEqual({ id: "7", outs: { c: "1970-01-01T00:00:00.000Z", d: {} } });
	});

	it("keeps the provider's own key from the handlers", async () => {
		const seen: object[] = [];
		const provider = configured({
			create: async (_context, inputs) => {
				seen.push(inputs);
				return { id: "1", outs: inputs };
			},
		});
		await provider.create({ __provider: "code", a: 1 });
		expect(seen).toEqual([{ a: 1 }]);
	});

	it("gives check failures an empty property, because the engine prints the value of a named one", async () => {
		const provider = configured({
			check: async (_context, _olds, news) => ({
				inputs: news,
				problems: [{ field: "environment", reason: "environment: bad." }],
			}),
		});
		expect((await provider.check({}, {})).failures).toEqual([{ property: "", reason: "environment: bad." }]);
	});

	it("stores a half-made object with its id, its properties and the stub that can read it again", async () => {
		const provider = configured({
			create: async () => {
				throw new PartlyDoneError("9", { scheduleId: 9 }, "not as declared");
			},
		});
		await expect(provider.create({ __provider: "code" })).rejects.toMatchObject({
			message: "not as declared",
			id: "9",
			properties: { scheduleId: 9, __provider: "code" },
			reasons: ["not as declared"],
		});
	});

	it("says that an object is gone by answering without an id", async () => {
		expect(await configured({ read: async () => ({}) }).read("1", {})).toEqual({});
	});

	it("throws without a stack trace: the host would print it to the user", async () => {
		const provider = configured({
			delete: async () => {
				throw new Error("no");
			},
		});
		const error = await provider.delete("1", {}).catch((e: Error) => e);
		expect((error as Error).stack).toBe("");
	});

	it("gives up an operation whose time is over, whatever it waits for, and says what to do", async () => {
		const silent = createServer(() => undefined).listen(0, "127.0.0.1");
		await new Promise((resolve) => silent.once("listening", resolve));
		const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api`;
		const client = createClient({ baseUrl, token: "t", teamName: "vision" });
		const started = Date.now();
		await expect(
			withinTime({ client } as ProviderContext, ({ client: bounded }) => bounded.schedules.list(), 300),
		).rejects.toThrow(/^Gave up after 0.3 seconds\. .*run "pulumi up" again/);
		expect(Date.now() - started).toBeLessThan(5000);
		await client.close();
		silent.closeAllConnections();
		silent.close();
	});
});
