import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/server";
import { bearer, send, testServer } from "../helpers/server-harness";

/** The provider's and the client's suites show what each fault does; here is what they do not use. */
describe("the fault switch", () => {
	it("works over HTTP, with the write token only", async () => {
		const tokens = [{ token: "reader-token", user: "r", teams: ["vision"], read: true, write: false }];
		const { url, token, api } = await testServer({ faults: true, tokens });
		const call = (method: string, body: unknown, headers: Record<string, string>) =>
			send(`${url}/api/_test/faults`, {
				method,
				headers,
				body: method === "POST" ? JSON.stringify(body) : null,
			});
		const rule = { kind: "status", status: 502, endpoint: "listClusters" };
		expect((await call("POST", rule, {})).status).toBe(401);
		expect((await call("POST", rule, bearer("reader-token"))).status).toBe(403);
		expect((await call("DELETE", undefined, bearer("reader-token"))).status).toBe(403);
		expect((await call("POST", { kind: "explode" }, bearer(token))).status).toBe(400);
		expect((await call("POST", rule, bearer(token))).status).toBe(200);
		expect((await api.get("/clusters/")).status).toBe(502);
		// Without a token nobody meets a fault, or learns that there are any.
		expect((await send(`${url}/api/datachain/clusters/`)).status).toBe(401);
		expect((await call("DELETE", undefined, bearer(token))).status).toBe(200);
		expect((await api.get("/clusters/")).status).toBe(200);
	});

	it("is off unless asked for, in process and over HTTP", async () => {
		const { url, token, faults } = await testServer();
		const rule = { kind: "status", status: 500 } as const;
		expect(() => faults.add(rule)).toThrow(/Faults are off/);
		const init = { method: "POST", headers: bearer(token), body: JSON.stringify(rule) };
		expect((await send(`${url}/api/_test/faults`, init)).status).toBe(404);
	});
});

it("the clock switch moves a manual clock over HTTP, and only that one", async () => {
	const manual = await testServer();
	const move = (server: { url: string; token: string }, body: unknown, headers = bearer(server.token)) =>
		send(`${server.url}/api/_test/clock`, { method: "POST", headers, body: JSON.stringify(body) });
	expect((await move(manual, { advance_ms: 1 }, {})).status).toBe(401);
	expect((await move(manual, { advance_ms: 60_000 })).at("now")).toBe("2026-01-01T00:01:00.000Z");
	expect((await move(manual, { set: "2026-02-01T00:00:00Z" })).at("now")).toBe("2026-02-01T00:00:00.000Z");
	expect((await move(manual, { set: "never" })).status).toBe(400);
	expect((await move(manual, { advance_ms: -1 })).status).toBe(400);
	const real = await testServer({ clock: systemClock() });
	expect((await move(real, { advance_ms: 1 })).status).toBe(404);
});
