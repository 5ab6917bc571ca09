import { expect, it } from "vitest";
import { loopbackOfTest } from "../helpers/api-servers";
import { COLLEAGUES_SCHEDULE, hostileService, TOKEN } from "../helpers/hostile-service";
import { testServer } from "../helpers/server-harness";
import { connectionTo, idsOf, NAMES, PAUSED, verified } from "../helpers/verify-run";

it("a service that answers with a colleague's schedule loses nothing, and the report has no secret of it", async () => {
	const { http, heard } = hostileService();
	const { url } = await loopbackOfTest(http);
	const connection = { baseUrl: `${url}/api`, token: TOKEN, teamName: "theirs-team" };
	const finished = await verified(connection, {
		pipeline: "theirs",
		patienceMillis: 60,
	});
	const writes = heard
		.filter(({ method }) => method === "POST")
		.map(({ path, body }) => [path, body]);
	const about = writes.filter(([, body]) =>
		body?.includes(`"schedule_id":${COLLEAGUES_SCHEDULE}`),
	);
	expect(about).toEqual([]);
	// A mask and a line break cannot be carried, so no settings were sent.
	expect(writes.filter(([path]) => path?.endsWith("/settings"))).toEqual([]);
	expect(
		writes.filter(([path]) =>
			/trigger|resume|pause|remove-job|cancel|jobs\/$/.test(path ?? ""),
		),
	).toEqual([]);
	expect(JSON.stringify(finished)).not.toContain(TOKEN);
	expect(JSON.stringify(finished)).not.toContain("theirs-team");
	expect(idsOf(finished.results, "differs")).toEqual(
		expect.arrayContaining([
			"description-published",
			"absent-404",
			"create-answers",
			"lists-are-arrays",
		]),
	);
	expect(finished.left).toMatchObject([{ kind: "schedule", name: NAMES.schedule }]);
});

const withColleagues = async () => {
	const server = await testServer({ faults: true });
	const colleague = server.team(server.teamName);
	return { server, colleague };
};

it.each([
	["a line break", "a\nb"],
	["a mask", "********"],
])(
	"a variable with %s is never written back, and nothing is sent to the settings",
	async (_what, value) => {
		const { server, colleague } = await withColleagues();
		colleague.setVariable(PAUSED, "ODD", value);
		const { results, left } = await verified(connectionTo(server));
		expect(server.requests.count({ endpoint: "updateSettings" })).toBe(0);
		expect(left).toEqual([]);
		const echo = results.find(({ id }) => id === "variable-echo");
		expect(echo).toMatchObject({
			verdict: "untried",
			seen: expect.stringContaining("nothing was sent"),
		});
		expect(JSON.stringify(results)).not.toContain("ODD");
	},
);

it.each([
	["create", "createSchedule", 0],
	["second create", "createSchedule", 1],
	["rename", "updateSchedule", 0],
	["delete", "deleteSchedule", 2],
	["settings", "updateSettings", 0],
	["settings that remove", "updateSettings", 1],
] as const)(
	"a lost response to the %s leaves nothing behind",
	async (_what, endpoint, skip) => {
		const { server, colleague } = await withColleagues();
		const schedules = colleague.schedules();
		server.faults.add({ kind: "reset-after", endpoint, skip, times: 1 });
		const { left } = await verified(connectionTo(server));
		expect(left).toEqual([]);
		expect(colleague.schedules()).toEqual(schedules);
		const all = colleague
			.pipelines()
			.flatMap(({ settings }) => Object.keys(settings.environment));
		expect(all.filter((name) => name.startsWith("PULUMI"))).toEqual([]);
	},
);

it("a create that is carried out after its response was lost is named, not forgotten", async () => {
	const { server } = await withColleagues();
	server.faults.add({
		kind: "late-commit",
		endpoint: "createSchedule",
		ms: 3_600_000,
		times: 1,
	});
	const { left } = await verified(connectionTo(server));
	expect(left).toMatchObject([
		{ name: NAMES.schedule, why: expect.stringContaining("may still appear") },
	]);
});

it("what cannot be deleted is named with its id, and the colleague's schedule of the same pipeline stays", async () => {
	const { server, colleague } = await withColleagues();
	const own = colleague.createSchedule({
		schedule_name: "theirs",
		pipeline_name: PAUSED,
		cron_expression: "@daily",
	});
	server.faults.add({
		kind: "status",
		endpoint: "deleteSchedule",
		status: 400,
		skip: 1,
	});
	const { left } = await verified(connectionTo(server));
	expect(left).toMatchObject([
		{
			kind: "schedule",
			id: own.id + 1,
			why: "the service answered its deletion with 400",
		},
		{ kind: "schedule", id: own.id + 2 },
	]);
	expect(colleague.schedules().filter(({ id }) => id === own.id)).toEqual([own]);
});

it("a variable that a colleague adds meanwhile is still there at the end", async () => {
	const { server, colleague } = await withColleagues();
	const running = verified(connectionTo(server));
	await expect
		.poll(() => server.requests.count({ endpoint: "updateSchedule" }))
		.toBeGreaterThan(0);
	colleague.setVariable(PAUSED, "MEANWHILE", "kept");
	await running;
	const pipeline = colleague.pipelines().find(({ name }) => name === PAUSED);
	expect(pipeline?.settings.environment).toEqual({ MEANWHILE: "kept" });
});
