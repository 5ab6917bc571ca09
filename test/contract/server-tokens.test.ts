import { expect, it } from "vitest";
import { testServer } from "../helpers/server-harness";

it("a token reaches its own teams only, and writes only if it may", async () => {
	const tokens = [
		{ token: "reader", user: "reader", teams: ["vision"], read: true, write: false },
		{ token: "stranger", user: "stranger", teams: ["elsewhere"], read: true, write: true },
	];
	const { api } = await testServer({ tokens });
	const answers = (token: string) =>
		Promise.all([
			api.get("/pipeline/schedules?team_name=vision", token),
			api.post("/pipeline/pause", { team_name: "vision", name: "nightly-images" }, token),
		]);
	const statuses = async (token: string) => (await answers(token)).map(({ status }) => status);
	expect(await statuses("unknown")).toEqual([401, 401]);
	expect(await statuses("stranger")).toEqual([403, 403]);
	expect(await statuses("reader")).toEqual([200, 403]);
	const { json } = await api.get("/pipeline/status?name=nightly-images");
	expect(json).not.toMatchObject({ status: "PAUSED" });
});
