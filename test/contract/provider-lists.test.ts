import { beforeEach, describe, expect, it } from "vitest";
import type { ProviderContext } from "../../src/provider/run/context";
import type { TeamLists } from "../../src/provider/run/team-lists";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { providerWorld, type World } from "../helpers/provider-harness";

let world: World;
let context: ProviderContext;
let lists: TeamLists;
beforeEach(async () => {
	world = await providerWorld();
	({ context } = world.process());
	({ lists } = context);
});

const pass = (millis: number) => world.server.clock.advance(millis);
const asked = (endpoint: EndpointName) => world.server.requests.count({ endpoint });

type Get = (team: string, how?: "recent") => Promise<readonly unknown[]>;
const CACHED: readonly [string, EndpointName, Get][] = [
	["schedules", "listSchedules", (...asked) => lists.schedules(...asked)],
	["pipelines", "listPipelines", (...asked) => lists.pipelines(...asked)],
	["jobs", "listJobs", (...asked) => lists.jobs(...asked)],
];

describe.each<[string, EndpointName, Get]>([
	...CACHED,
	["clusters", "listClusters", (team) => lists.clusters(team)],
])("a list of %s for reads", (what, endpoint, get) => {
	it("is asked for once by all who come together, and for each team", async () => {
		world.server.addTeam("other", {});
		await Promise.all([get("ml"), get("ml"), get("other")]);
		expect(asked(endpoint)).toBe(2);
	});

	it("is shared while reads follow each other within three seconds, for two minutes", async () => {
		await get("ml");
		pass(3_000);
		for (let seconds = 0; seconds < 120; seconds += 1) {
			await get("ml");
			expect(asked(endpoint)).toBe(2);
			pass(1_000);
		}
		await get("ml");
		expect(asked(endpoint)).toBe(3);
	});

	it(`is ${what === "clusters" ? "kept through" : "dropped by"} a write to its team, also if the response was lost`, async () => {
		world.server.addTeam("other", { pipelines: ["p1"] });
		const { client } = context;
		await get("ml");
		await client.pipelines.pause({ team_name: "other", name: "p1" });
		await client.pipelines.status({ team_name: "ml", name: "p1" });
		await get("ml");
		expect(asked(endpoint)).toBe(1);
		world.fault({ kind: "reset-after", endpoint: "triggerPipeline" });
		await expect(
			client.pipelines.trigger({ team_name: "ml", datasets: ["dev.images.raw"] }),
		).rejects.toThrow("the connection was cut");
		await get("ml");
		expect(asked(endpoint)).toBe(what === "clusters" ? 1 : 2);
	});

	it("that failed is not handed to the next", async () => {
		const heal = world.fault({ kind: "status", status: 403, endpoint });
		await expect(get("ml")).rejects.toThrow("403");
		expect(asked(endpoint)).toBe(1);
		heal();
		expect(await get("ml")).toBeInstanceOf(Array);
	});

	it("that took long to come is shared from when it came", async () => {
		({ lists } = world.process({ requestMillis: 10_000 }).context);
		await get("ml");
		pass(2_999);
		await get("ml");
		expect(asked(endpoint)).toBe(1);
	});
});

it.each(CACHED)(
	"a cached list of %s is kept for three seconds, through writes of ours and however often it is looked at",
	async (_, endpoint, get) => {
		await get("ml", "recent");
		pass(2_000);
		lists.drop("ml");
		await get("ml", "recent");
		pass(999);
		await get("ml", "recent");
		expect(asked(endpoint)).toBe(1);
		pass(1);
		await get("ml", "recent");
		expect(asked(endpoint)).toBe(2);
	},
);

const limits = () =>
	world.server.requests.entries.map(({ query }) =>
		new URLSearchParams(query).get("limit"),
	);

describe("the list of pipelines", () => {
	it("is asked for with a limit that no team reaches, and from then on with a lower one where the service refuses that", async () => {
		world.fault({ kind: "status", status: 422, endpoint: "listPipelines", times: 2 });
		expect(await lists.pipelines("ml")).toHaveLength(3);
		lists.drop("ml");
		expect(lists.isTruncated(await lists.pipelines("ml"))).toBe(false);
		expect(limits()).toEqual(["10000", "1000", "100", "100"]);
	});

	it("is not asked for without end where the service refuses every limit", async () => {
		world.fault({ kind: "status", status: 422, endpoint: "listPipelines" });
		await expect(lists.pipelines("ml")).rejects.toThrow("422");
		expect(limits()).toEqual(["10000", "1000", "100", "20"]);
	});
});

it("of jobs the newest five hundred are asked for, and fewer where the service refuses that", async () => {
	world.fault({ kind: "status", status: 422, endpoint: "listJobs", times: 1 });
	expect(await lists.jobs("ml")).toEqual([]);
	expect(limits()).toEqual(["500", "100"]);
});
