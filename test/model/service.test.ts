import { expect, it } from "vitest";
import { testServer } from "../helpers/server-harness";

/** What the draws ask of the local server. */
const TEAM = { pipelines: ["p1", "p2"] };
const schedule = (schedule_name: string) => ({
	schedule_name,
	team_name: "team",
	pipeline_name: "p1",
	cron_expression: "0 3 1 7 *",
});

async function serverWithTeam() {
	const server = await testServer({ empty: true, faults: true });
	return { ...server, team: server.addTeam("team", TEAM) };
}

it("dates its replies by its own clock", async () => {
	const { api, clock } = await serverWithTeam();
	clock.set("2026-03-01T02:00:00Z");
	const reply = await api.get("/pipeline/schedules?team_name=team");
	expect(reply.headers.get("date")).toBe("Sun, 01 Mar 2026 02:00:00 GMT");
});

it("answers about another pipeline than the one that was asked for", async () => {
	const { api, faults } = await serverWithTeam();
	faults.add({
		kind: "misread",
		endpoint: "pipelineStatus",
		set: { name: "p2" },
		times: 1,
	});
	const names = async () =>
		(await api.get("/pipeline/status?name=p1&team_name=team")).at("name");
	expect([await names(), await names()]).toEqual(["p2", "p1"]);
});

it("refuses the name of another schedule with 409 where names are unique", async () => {
	const { api, faults, team } = await serverWithTeam();
	faults.add({ kind: "unique-names" });
	const create = (name: string) =>
		api.post("/pipeline/create-schedule", schedule(name));
	const [first, second, other] = [
		await create("a"),
		await create("a"),
		await create("b"),
	];
	expect([first.status, second.status, other.status]).toEqual([200, 409, 200]);
	const rename = async (name: string) =>
		api.post("/pipeline/update-schedule", {
			schedule_id: other.at("schedule.id"),
			schedule_name: name,
			team_name: "team",
		});
	expect([(await rename("a")).status, (await rename("b")).status]).toEqual([409, 200]);
	expect(team.schedules().map(({ name }) => name)).toEqual(["a", "b"]);
});

it("masks values but for their beginning, their end, or nothing", async () => {
	const { api, faults, team } = await serverWithTeam();
	for (const name of ["HEAD", "TAIL", "ALL"])
		team.setVariable("p1", name, "secret-value");
	const mask = { HEAD: "head", TAIL: "tail", ALL: "none" } as const;
	const paths = Object.entries(mask).map(([name, shown]) => [
		`environment_variables.${name}`,
		shown,
	]);
	faults.add({
		kind: "rewrite",
		endpoint: "pipelineStatus",
		mask: Object.fromEntries(paths),
	});
	const reply = await api.get("/pipeline/status?name=p1&team_name=team");
	expect(reply.at("environment_variables")).toEqual({
		HEAD: "sec***",
		TAIL: "••••lue",
		ALL: "********",
	});
});

it("makes a pipeline anew under its name, and its schedules run the new one", async () => {
	const { api, team } = await serverWithTeam();
	await api.post("/pipeline/create-schedule", schedule("a"));
	team.setVariable("p1", "A", "1");
	const [before] = team.pipelines();
	const made = team.remakePipeline("p1");
	expect(made).toMatchObject({ name: "p1", settings: { environment: {} } });
	expect(made.id).not.toBe(before?.id);
	expect(team.schedules()).toMatchObject([
		{ name: "a", pipelineName: "p1", pipelineId: made.id },
	]);
});
