import { describe, expect, it } from "vitest";
import { ResourceHost } from "../../src/provider/hosts/plugin/resource-host";
import { secretValue } from "../../src/provider/model/props";
import type { PartialFailureError } from "../../src/provider/run/handler";
import {
	freshStack,
	job,
	jobFile,
	named,
	pipeline,
	pipelineThere,
	tuned as s,
	schedule,
	stack,
	theySet,
	world,
} from "../helpers/provider-scene";
import { testFile } from "../helpers/test-folder";
import type { Done } from "../model/stack";

freshStack();

const SECRET_NAME = { __secret: ["scheduleName"] };
const told = ({ failures, notices }: Done) => [...failures, ...notices].join("\n");
const URL_WITH_PASSWORD = "https://ada:hunter2@example.com/repo.git";

it.each([
	["repository", URL_WITH_PASSWORD],
	["requirements", `git+${URL_WITH_PASSWORD}\nnumpy`],
])(
	"another user's password in a URL in %s reaches no state, and its placeholder is never written with ignoreChanges",
	async (key, text) => {
		const ours = { [key]: "https://example.com/ours.git", workers: 1 };
		await stack.up([s(ours)]);
		theySet({ [key]: text });
		await stack.refresh();
		expect(JSON.stringify(stack.entry("s"))).not.toContain("hunter2");
		// The engine hands back what the state has for an input that is ignored.
		const ignored = (workers: number) => [
			s({ ...ours, [key]: stack.entry("s").inputs[key], workers }),
		];
		expect((await stack.up(ignored(2))).failures).toEqual([]);
		expect(pipelineThere().settings).toMatchObject({ [key]: text, workers: 2 });
		await stack.refresh();
		expect((await stack.up(ignored(2))).steps).toEqual(["same s"]);
		expect(JSON.stringify(stack.entry("s"))).not.toContain("hunter2");
	},
);

it("names in an environment that is a secret as a whole are in no message", async () => {
	theySet({ environment: "THEIRS=1" });
	const secretly = (environment: object) => [
		s({ environment, adopt: true, __secret: ["environment"] }),
	];
	const run = await stack.up(secretly({ SECRET_CANARY: "1", B: "2" }));
	expect(run.notices.join()).toMatch(/will write environment\./);
	const [refused = ""] = (await stack.up(secretly({ SECRET_CANARY: "1\n2" }))).failures;
	expect(refused).toMatch(/the value of \[redacted\] has a line break/);
	expect(told(run) + refused).not.toContain("SECRET_CANARY");
});

describe("what others changed, handed back by the engine with ignoreChanges", () => {
	const S3 = { anon: false, maxConcurrency: 4, key: "k", secret: "s" };
	it.each([
		["a number", { ...S3, max_concurrency: 9 }, "as it is"],
		["a parameter that we do not know", { ...S3, made_up: "x" }, "as it is"],
		// No placeholder stands in it, so an update sends it, as every declared field.
		[
			"half of a pair that is gone",
			{ anon: false, maxConcurrency: 4, key: "k" },
			"in our spelling",
		],
	])(
		"is no reason to refuse the storage: %s",
		async (_, { maxConcurrency, ...theirs }, written) => {
			const ours = { storage: { s3: S3 }, workers: 1 };
			await stack.up([s(ours)]);
			const variable = JSON.stringify({ max_concurrency: maxConcurrency, ...theirs });
			world.colleague.setVariable("p1", "FSSPEC_S3", variable);
			await stack.refresh();
			const { storage } = stack.entry("s").inputs;
			expect((await stack.up([s({ ...ours, storage, workers: 2 })])).failures).toEqual(
				[],
			);
			const { workers, environment: { FSSPEC_S3 = "" } = {} } =
				pipelineThere().settings;
			expect([workers, JSON.parse(String(FSSPEC_S3))]).toEqual([
				2,
				JSON.parse(variable),
			]);
			if (written === "as it is") expect(FSSPEC_S3).toBe(variable);
			expect((await stack.up([s({ ...ours, storage, workers: 2 })])).steps).toEqual([
				"same s",
			]);
		},
	);

	it("is no reason to refuse a setting: a value that no program could declare", async () => {
		const ours = { pythonVersion: "3.12", workers: 1 };
		await stack.up([s(ours)]);
		theySet({ python_version: "pypy" });
		await stack.refresh();
		const { pythonVersion } = stack.entry("s").inputs;
		expect(
			(await stack.up([s({ ...ours, pythonVersion, workers: 2 })])).failures,
		).toEqual([]);
		expect(pipelineThere().settings).toMatchObject({
			pythonVersion: "pypy",
			workers: 2,
		});
		const own = await stack.up([s({ ...ours, pythonVersion: "cpython" })]);
		expect(own.failures.join()).toContain("pythonVersion: must look like");
	});
});

describe("a value that is no longer a secret, in a deployment that is not done", () => {
	const LAG = 300_000;
	const secretly = (...fields: string[]) =>
		named("s", "canary-name", { cronExpression: "13 7 3 4 *", __secret: fields });
	const openly = named("s", "nightly");

	it("is shown neither in the message nor by an output that is made of it, and stays listed as a secret", async () => {
		await stack.up([secretly("cronExpression", "scheduleName")]);
		expect(stack.entry("s").outs).not.toHaveProperty("cronDescription");
		world.server.clock.advance(LAG);
		world.fault({ kind: "stale-read", ms: LAG });
		const text = told(await stack.up([openly]));
		expect(text).toContain("returns other values: scheduleName; cronExpression.");
		expect(text).not.toMatch(/canary|13 7/);
		const { outs } = stack.entry("s");
		expect(outs).not.toHaveProperty("cronDescription");
		expect(outs.__secret).toEqual(["cronExpression", "scheduleName"]);
		world.server.clock.advance(LAG);
		expect((await stack.up([openly])).failures).toEqual([]);
		expect(stack.entry("s").outs).toMatchObject({
			cronDescription: "every day at 03:00 UTC",
		});
		expect(stack.entry("s").outs).not.toHaveProperty("__secret");
	});

	it("is a secret in the state that the plugin leaves, and after a refresh of it", async () => {
		const plugin = new ResourceHost(world.process().context);
		const which = {
			kind: "PipelineSettings",
			urn: "urn:pulumi:dev::shop::datachain:index:PipelineSettings::s",
		} as const;
		const declared = (value: unknown) => ({
			pipelineName: "p1",
			teamName: "ml",
			onDestroy: "keep",
			environment: { KEY: value, MODE: "fast" },
		});
		const oldInputs = declared(secretValue("canary-value"));
		const { id, properties: olds } = await plugin.create(which, oldInputs, false);
		const news = declared("plain");
		const heal = world.fault({
			kind: "status",
			status: 500,
			endpoint: "updateSettings",
		});
		const failedUpdate = (state: Parameters<typeof plugin.update>[2]) =>
			plugin.update(which, id, state, news, false).then(
				() => expect.unreachable(),
				({ outs }: PartialFailureError) => outs,
			);
		const kept = { KEY: secretValue("canary-value"), MODE: "fast" };
		const outs = await failedUpdate({ olds, oldInputs });
		expect(outs.environment).toEqual(kept);
		// The engine stores the new inputs with the outputs of a failure.
		const again = await failedUpdate({ olds: outs, oldInputs: news });
		expect(again.environment).toEqual(kept);
		heal();
		const read = await plugin.read(which, id, again, news);
		expect(read?.inputs.environment).toEqual(kept);
		expect(read?.properties.environment).toEqual(kept);
		const done = await plugin.update(
			which,
			id,
			{ olds: again, oldInputs: news },
			news,
			false,
		);
		expect(done.environment).toEqual({ KEY: "plain", MODE: "fast" });
		expect(done).not.toHaveProperty("__secret");
	});
});

describe("a secret name", () => {
	/** Everything in the state that is not under the key of a secret input, where the engine would encrypt it. */
	const clear = (name: string, input: string) => {
		const { inputs, outs } = stack.entry(name);
		const others = (props: object) =>
			Object.entries(props).filter(([key]) => key !== input);
		return JSON.stringify([others(inputs), others(outs)]);
	};

	it("of a file is not shown as the name that the service gave it, nor in a preview", async () => {
		const called = (name: string, text = "x", secret = true) => [
			jobFile("f", { name, text, ...(secret && { __secret: ["name"] }) }),
		];
		await stack.up(called("canary.txt", "x", false));
		expect(stack.entry("f").outs.filename).toBe("canary.txt");
		expect((await stack.up(called("canary.txt"))).steps).toEqual(["update f"]);
		expect(clear("f", "name")).not.toContain("canary");
		expect((await stack.up(called("canary.txt", "y"))).steps).toEqual(["replace f"]);
		expect(clear("f", "name")).not.toContain("canary");
		expect((await stack.up(called("canary.txt", "y", false))).steps).toEqual([
			"update f",
		]);
		expect(stack.entry("f").outs.filename).toBe("canary.txt");
	});

	it("of a path is not shown as the name of its file, which must be given, or of its job", async () => {
		const source = testFile("canary.py", "print(1)");
		const secretly = (args: object) =>
			jobFile("f", { source, ...args, __secret: ["source"] });
		expect((await stack.up([secretly({})])).failures).toEqual([
			'f: name: source is a secret, and so is its file name. Set name, for example to "config.json".',
		]);
		await stack.up([
			secretly({ name: "prepare.py" }),
			job({ query: undefined, file: source, __secret: ["file"] }),
		]);
		expect(clear("f", "source")).not.toContain("canary");
		expect(clear("train", "file")).not.toContain("canary");
		expect(stack.entry("train").outs).toMatchObject({
			name: "train",
			queryType: "PYTHON",
		});
	});

	it("of a schedule's pipeline is not shown in what the service tells of it", async () => {
		await stack.up([named("s", "n", { __secret: ["pipelineName"] })]);
		expect(stack.entry("s").outs.pipeline).toMatchObject({
			pipelineId: expect.any(String),
		});
		await stack.refresh();
		expect(stack.entry("s").outs.pipeline).not.toHaveProperty("name");
		await stack.up([named("s", "n")]);
		expect(stack.entry("s").outs.pipeline).toMatchObject({ name: "p1" });
	});

	it("of datasets reaches no schedule of the pipeline, by an update or a refresh", async () => {
		await stack.up([pipeline({})]);
		const pipelineName = String(stack.entry("images").outs.name);
		await stack.up([pipeline({}), schedule("b", { pipelineName })]);
		expect(stack.entry("b").outs.pipeline).toHaveProperty("triggeredFrom");
		const images = pipeline({ __secret: ["datasets.0"] });
		await stack.up([images]);
		const cron = (hour: number) =>
			schedule("a", { pipelineName, cronExpression: `0 ${hour} * * *` });
		const inState = () => JSON.stringify(stack.entry("a").outs);
		for (const hour of [3, 4]) {
			expect((await stack.up([images, cron(hour)])).failures).toEqual([]);
			expect(inState()).not.toContain("images.clean");
		}
		await stack.refresh();
		expect(inState()).toContain(`"pipeline":{"pipelineId"`);
		expect(inState()).not.toContain("images.clean");
		expect((await stack.up([images, cron(4)])).steps).toEqual([
			"same images",
			"same a",
		]);
	});

	it("of a job to remove is remembered by a salted hash, and not missed when the next one is corrected", async () => {
		const without = (...removeJobs: string[]) => [
			pipeline({ removeJobs, __secret: ["removeJobs"] }),
		];
		expect((await stack.up(without("dev.images.raw"))).failures).toEqual([]);
		expect((await stack.up(without("dev.images.raw", "nope"))).failures).toHaveLength(
			1,
		);
		await stack.refresh();
		expect(clear("images", "removeJobs")).not.toContain("images.raw");
		expect(stack.entry("images").outs.removedJobs).toEqual([
			expect.stringMatching(/^scrypt:/),
		]);
		expect(await stack.up(without("dev.images.raw", "dev.images.clean"))).toMatchObject(
			{
				steps: ["update images"],
				failures: [],
			},
		);
		expect(stack.entry("images").outs).toMatchObject({ total: 0 });
		expect((await stack.up(without("dev.images.clean"))).steps).toEqual([
			"replace images",
		]);
	});
});

describe("a message about something whose name is a secret", () => {
	it.each([
		["its id", {}, "id 1"],
		["no name if its id cannot be read", { "0.id": 1.5 }, "[redacted]"],
	])("and that a list shows in an odd form has %s", async (_, set, which) => {
		await stack.up([named("s", "canary-name", SECRET_NAME), named("other", "other")]);
		world.fault({
			kind: "rewrite",
			endpoint: "listSchedules",
			set: { "0.cron_expression": 7, ...set },
		});
		const text = told(await stack.refresh());
		expect(text).toContain(`cannot be read: ${which}, `);
		expect(text).not.toContain("canary");
	});

	it("does not repeat it where it is about another resource", async () => {
		const first = named("first", "canary-name", SECRET_NAME);
		const second = named("second", "second", {}, { dependsOn: ["first"] });
		world.fault({
			kind: "capped-list",
			endpoint: "listSchedules",
			limit: 0,
			which: "oldest",
		});
		const text = told(await stack.up([first, second], { requestMillis: 5_000 }));
		expect(text).toContain("The service's list does not contain the new objects: ");
		expect(text).not.toContain("canary");
	});

	it("or one of whose hidden inputs is one, where the service repeats it in reply to another request", async () => {
		const query = "import os\nopen('canary-of-a-line')\n";
		world.fault({
			kind: "status",
			status: 400,
			endpoint: "createJob",
			message: "line 2: open('canary-of-a-line')",
		});
		const text = told(await stack.up([job({ query, __secret: ["query"] })]));
		expect(text).toContain('The service says: "line 2: [redacted]"');
		const environment = { KEY: "canary&of<a>variable" };
		const message = `cannot read {"KEY":${JSON.stringify(environment.KEY)}}`;
		world.fault({ kind: "status", status: 400, endpoint: "pipelineStatus", message });
		const settings = told(
			await stack.up([s({ environment, __secret: ["environment.KEY"] })]),
		);
		expect(settings).toContain("cannot read");
		expect(settings).not.toContain("canary");
	});

	it("or one of whose settings is one shows neither its value nor the one that is there", async () => {
		theySet({ python_version: "3.11", priority: 2 });
		const secret = {
			pythonVersion: "3.12",
			priority: 4,
			__secret: ["pythonVersion", "priority"],
		};
		const refused = told(await stack.up([s(secret)]));
		expect(refused).toContain(
			"does not manage: pythonVersion; priority. They were not changed.",
		);
		const adopting = told(await stack.preview([s({ ...secret, adopt: true })]));
		expect(adopting).toContain("will write pythonVersion; priority.");
	});

	it("of a run does not repeat it where its dataset is secret, while it is waited for and when it fails", async () => {
		const datasets = ["dev.images.broken"];
		const inputs = { datasets, start: true, wait: true };
		const text = told(
			await stack.up([pipeline({ ...inputs, __secret: ["datasets.0"] })]),
		);
		expect(text).toMatch(/ended as FAILED/);
		expect(text).not.toMatch(/images\.(broken|raw)/);
		expect(told(await stack.up([pipeline({ ...inputs, triggers: 1 })]))).toContain(
			"images.raw is",
		);
	});
});
