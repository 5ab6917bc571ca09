import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import { bearer, send, testServer } from "../helpers/server-harness";

const grants = [
	{ token: "reader-token", user: "reader", teams: ["vision"], read: true, write: false },
	{ token: "writer-token", user: "writer", teams: ["vision"], read: false, write: true },
	{ token: "two-teams-token", user: "both", teams: ["vision", "audio"], read: true, write: true },
	{ token: "other-token", user: "other", teams: ["audio"], read: true, write: true },
];

describe("tokens", () => {
	it("are accepted as Bearer and as token, in any case", async () => {
		const server = await testServer();
		for (const scheme of ["Bearer", "token", "bearer", "Token"]) {
			const headers = { Authorization: `${scheme} ${server.token}` };
			expect((await send(`${server.url}/api/datachain/clusters/`, { headers })).status).toBe(200);
		}
	});

	it("are asked for by every endpoint", async () => {
		const server = await testServer();
		for (const { method, path } of Object.values(endpoints)) {
			const url = `${server.url}/api${path.replace("{job_id}", "x")}`;
			const wrong = ["wrong-token", "x".repeat(30_000), "\u00e9\u00ff"].map(bearer);
			for (const headers of [{}, ...wrong, { Authorization: `Basic ${server.token}` }]) {
				const reply = await send(url, { method, headers });
				expect(reply.status, `${method} ${path}`).toBe(401);
				expect(reply.json).toEqual({ message: expect.stringMatching(/token/) });
			}
		}
	});

	it("without write access read only, and those without read access write only", async () => {
		const { api } = await testServer({ tokens: grants });
		expect((await api.get("/pipeline/schedules", "reader-token")).status).toBe(200);
		const write = await api.post("/pipeline/pause", { name: "nightly-images" }, "reader-token");
		expect(write).toMatchObject({ status: 403, json: { message: expect.stringContaining("write access") } });
		expect((await api.post("/pipeline/pause", { name: "nightly-images" }, "writer-token")).status).toBe(200);
		const read = await api.get("/pipeline/schedules", "writer-token");
		expect(read).toMatchObject({ status: 403, json: { message: expect.stringContaining("read access") } });
	});

	it("are refused for a foreign team exactly as for one that does not exist", async () => {
		const { api } = await testServer({ tokens: grants });
		const foreign = await api.get("/clusters/?team_name=audio");
		const missing = await api.get("/clusters/?team_name=nobody");
		expect(foreign.status).toBe(403);
		expect(missing.status).toBe(403);
		expect(foreign.textAt("message").replace("audio", "")).toBe(
			missing.textAt("message").replace("nobody", ""),
		);
	});

	it("for several teams must say which; one for a single team need not", async () => {
		const { api } = await testServer({ tokens: grants });
		expect((await api.get("/clusters/", "reader-token")).status).toBe(200);
		const unsaid = await api.get("/clusters/", "two-teams-token");
		expect(unsaid).toMatchObject({ status: 400, json: { message: expect.stringContaining("team_name") } });
		expect((await api.get("/clusters/?team_name=audio", "two-teams-token")).json).toEqual([]);
	});

	it("keep teams apart: what one makes, another never sees", async () => {
		const { api } = await testServer({ tokens: grants });
		const job = await api.post("/jobs/", { query: "print(1)", query_type: "PYTHON" }, "other-token");
		const id = job.textAt("id");
		expect((await api.get(`/jobs/?job_id=${id}`)).json).toEqual([]);
		expect((await api.get(`/jobs/${id}/logs`)).status).toBe(404);
		expect((await api.post(`/jobs/${id}/cancel`, {})).status).toBe(404);
		expect((await api.post("/pipeline/pause", { name: "nightly-images" }, "other-token")).status).toBe(404);
	});

	it("never appear in an error message", async () => {
		const { api } = await testServer();
		const reply = await api.get("/clusters/", "secret-looking-token");
		expect(reply.text).not.toContain("secret-looking-token");
	});

	it("name the user as the creator of what they make", async () => {
		const { api } = await testServer({ tokens: grants });
		const body = {
			schedule_name: "s",
			pipeline_name: "nightly-images",
			cron_expression: "@daily",
			team_name: "vision",
		};
		const made = await api.post("/pipeline/create-schedule", body, "two-teams-token");
		expect(made.at("schedule.created_by.username")).toBe("both");
	});
});
