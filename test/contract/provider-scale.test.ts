import { describe, expect, it } from "vitest";
import type { ProviderContext } from "../../src/provider/run/context";
import { Stack } from "../helpers/provider-harness";
import {
	freshStack,
	named,
	stack,
	theirs,
	there,
	world,
} from "../helpers/provider-scene";

freshStack();

const schedules = (count: number) =>
	Array.from({ length: count }, (_, number) =>
		named(`s${number}`, `schedule-${number}`),
	);
const listsRead = () => world.server.requests.count({ endpoint: "listSchedules" });

describe("a team's list of schedules", () => {
	it("is read at most four times by an up with a hundred creates", async () => {
		world.fault({ kind: "delay", ms: 50, endpoint: "listSchedules" });
		expect(
			(await stack.up(schedules(100), { parallel: 16, requestMillis: 10 })).failures,
		).toEqual([]);
		expect(there()).toHaveLength(100);
		expect(listsRead()).toBeLessThanOrEqual(4);
	});

	it("is read once more for forty creates that the rate limit refused", async () => {
		world.fault({
			kind: "status",
			status: 429,
			retryAfter: 1,
			endpoint: "createSchedule",
			times: 40,
		});
		expect(
			(await stack.up(schedules(40), { maxConcurrentWrites: 40 })).failures,
		).toEqual([]);
		expect(world.server.requests.count({ endpoint: "createSchedule" })).toBe(80);
		expect(there()).toHaveLength(40);
		expect(listsRead()).toBeLessThanOrEqual(4);
	});

	it("is read at the end of a burst, which shows that another user created the same schedule", async () => {
		let created = 0;
		const onAttempt = ({ operation }: { operation: string }) => {
			if (operation !== "createSchedule") return;
			created += 1;
			if (created === 10) theirs("schedule-9");
		};
		const { failures } = await stack.up(schedules(10), { onAttempt });
		expect(failures.join()).toContain('Created twice: schedule "schedule-9"');
		expect(listsRead()).toBeLessThanOrEqual(3);
	});
});

/** The same list, which counts how often a property of an element is read. */
function counting<T extends object>(
	items: readonly T[],
	count: () => void,
): readonly T[] {
	const handler: ProxyHandler<T> = {
		get: (target, key) => {
			count();
			return Reflect.get(target, key);
		},
	};
	return items.map((item) => new Proxy(item, handler));
}

/** How many properties of listed objects the operation reads, with so many schedules on as many pipelines. */
async function stepsOf(
	what: "up" | "refresh" | "destroy",
	count: number,
): Promise<number> {
	const team = `team-${what}-${count}`;
	const pipelines = Array.from({ length: count }, (_, number) => `pipeline-${number}`);
	world.server.addTeam(team, { pipelines });
	const program = pipelines.map((pipelineName, number) =>
		named(`s${number}`, `schedule-${number}`, {
			teamName: team,
			pipelineName,
			paused: false,
		}),
	);
	const deployment = new Stack(world, team);
	let steps = 0;
	const step = () => {
		steps += 1;
	};
	const adjusted = (context: ProviderContext): ProviderContext => {
		const { schedules, pipelines } = context.lists;
		const counted = <T extends object, Asked extends unknown[]>(
			list: (...asked: Asked) => Promise<readonly T[]>,
		) => {
			const copies = new WeakMap<readonly T[], readonly T[]>();
			return async (...asked: Asked) => {
				const items = await list(...asked);
				const copy = copies.get(items) ?? counting(items, step);
				copies.set(items, copy);
				return copy;
			};
		};
		return {
			...context,
			lists: {
				...context.lists,
				schedules: counted(schedules),
				pipelines: counted(pipelines),
			},
		};
	};
	if (what !== "up") await deployment.up(program, { parallel: 16 });
	const options = { parallel: 16, adjusted };
	const { failures } =
		what === "up"
			? await deployment.up(program, options)
			: await deployment[what](options);
	expect(failures).toEqual([]);
	return steps;
}

it.each(["up", "refresh", "destroy"] as const)(
	"%s of twice as many schedules takes twice as many steps",
	async (what) => {
		const [few, many] = [await stepsOf(what, 100), await stepsOf(what, 200)];
		expect(few).toBeGreaterThan(100);
		expect(many / few).toBeLessThan(2.5);
	},
);

it("a hundred writes to a service whose reads lag two seconds behind take four requests each, and not seven", async () => {
	const [before, after] = [schedules(100), schedules(100)];
	for (const { args } of after) Object.assign(args, { cronExpression: "0 4 * * *" });
	world.fault({ kind: "late-effect", ms: 2_000 });
	const requestsOf = async (work: () => Promise<{ failures: readonly string[] }>) => {
		world.server.requests.clear();
		expect((await work()).failures).toEqual([]);
		return world.server.requests.count();
	};
	const counts = [await requestsOf(() => stack.up(before, { parallel: 16 }))];
	counts.push(await requestsOf(() => stack.up(after, { parallel: 16 })));
	counts.push(await requestsOf(() => stack.destroy({ parallel: 16 })));
	expect(counts.filter((count) => count >= 450)).toEqual([]);
});
