import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { type Props, UNKNOWN } from "../../src/provider/model/props";
import type { Kind } from "../../src/schemas/kinds";
import { REPEATED_KIND, STORAGE_KINDS } from "../../src/storage/rules";
import { CANARY, Stack } from "../helpers/provider-harness";
import { asset, KINDS_UNDER_TEST } from "../helpers/provider-kinds";
import {
	freshStack,
	job,
	jobFile,
	named,
	pipeline,
	schedule,
	stack,
	there,
	tuned,
	world,
} from "../helpers/provider-scene";
import { urnOf } from "../model/process";
import type { Resource } from "../model/stack";

const QUERY_PATH =
	"query: is a path, and query is the text itself. Give the path as file.";
const QUERY_COMMAND =
	'query: is a shell command, and queryType is PYTHON. Set queryType to "SHELL", or give the path of the script as file.';
const UNNAMED_TYPE = (name: string) =>
	`queryType: the name "${name}" does not say what it is. Set queryType to PYTHON or SHELL.`;
const WAITS_FOR_TASK =
	"wait: a job with a cronExpression or a startAfter becomes a task that runs later, so there is nothing to wait for. Leave wait out.";
const TIMEOUT =
	'timeout: must look like "90s", "30m" or "1h30m", or be a number of seconds, up to 24 days, not "soon".';
const CLUSTERS = 'It has "default" (id 1), "gpu" (id 2), "old" (id 3).';
const STORAGES = STORAGE_KINDS.join(", ");
const BY_KIND = `storage must be given by kind (${STORAGES}), each with its parameters.`;

const COMPILED =
	"a secret cannot be compiled to UTC, because the result is stored in plain text. Write cronExpression in UTC, without H and timeZone, or without a secret.";
const UTC_CRON =
	"utcCron: it is an output. Declare cronExpression, with a timeZone if it is not in UTC.";
const ZONED = { timeZone: "Europe/Berlin" };

/** What a program declares, beside the usual inputs of the kind, and what it is told; nothing where it may. */
type Row = [inputs: object, reason?: string | RegExp];
const DECLARED: Readonly<Partial<Record<Kind, readonly Row[]>>> = {
	PipelineSchedule: [
		[
			{ cronExpression: undefined },
			'cronExpression: a schedule needs a cronExpression, a startAfter, or both. Set cronExpression to "0 3 * * *" to run every day at 03:00 UTC.',
		],
		[
			{ startAfter: "2027-02-30T00:00:00Z" },
			'startAfter: "2027-02-30T00:00:00Z" is not a date-time that exists; write it as "2026-01-31T03:00:00Z".',
		],
		[
			{
				startAfter:
					"Fri Jan 01 2027 00:00:00 GMT+0100 (Central European Standard Time)",
			},
			/^startAfter: "Fri Jan .*" is not a date-time that exists; .*\. Did you mean "2026-12-31T23:00:00Z"\?$/,
		],
		[
			{ startAfter: "soon", __secret: ["startAfter"] },
			'startAfter: is not a date-time that exists; write it as "2026-01-31T03:00:00Z".',
		],
		[
			{ cronExpression: 3 },
			'cronExpression: must be a string such as "0 3 * * *", not 3.',
		],
		[{ pipelineName: ["p1"] }, "pipelineName: must be a string, not a list."],
		[{ paused: "true" }, 'paused: must be true or false, not "true".'],
		[
			{ startAfter: {} },
			'startAfter: must be a string such as "2026-01-31T03:00:00Z", not an empty object, as which a Date, a Map or a URL arrives: give a string, such as date.toISOString().',
		],
		[
			{ timeZone: 2, __secret: ["timeZone"] },
			'timeZone: must be a string such as "Europe/Berlin", not a number.',
		],
		[
			{ timeZone: "Berlin" },
			'timeZone: there is no time zone "Berlin": use a name of the IANA database, such as "Europe/Berlin". Did you mean "Europe/Berlin"?',
		],
		[
			{ ...ZONED, cronExpression: undefined, startAfter: "2031-01-01T00:00:00Z" },
			"timeZone: it applies to a cronExpression, and there is none. Remove it, and give startAfter with an offset.",
		],
		[{ ...ZONED, utcCron: "0 5 * * *" }, UTC_CRON],
		[{ utcCron: "0 5 * * *" }, UTC_CRON],
		[{ ...ZONED, __secret: ["timeZone"] }, `timeZone: ${COMPILED}`],
		[
			{ cronExpression: "H 3 * * *", __secret: ["cronExpression"] },
			`cronExpression: ${COMPILED}`,
		],
		[{ ...ZONED, cronExpression: "0 25 * * *" }, /^cronExpression: /],
		[{ ...ZONED, cronExpression: "H(50-70) * * * *" }, /is out of range: H\(50-70\)/],
		[
			{ timeZone: "America/New_York", cronExpression: "0 22,2 * * 1-5" },
			/^cronExpression: .*declare 2 schedules with this timeZone/,
		],
	],
	PipelineSettings: [
		[
			{ workers: undefined, environment: undefined },
			"No setting is declared, so there is nothing to manage. Declare one of pythonVersion, requirements, repository, workers, priority, environment, storage, files, credentialsNames, paused.",
		],
		[
			{ onDestroy: "rest" },
			'onDestroy: must be "keep" or "reset", not "rest". Did you mean "reset"?',
		],
		[
			{ onDestroy: "restore" },
			'onDestroy: "restore" is no longer supported. Use "keep", which leaves the declared settings as they are, or "reset", which removes them.',
		],
		[{ adopt: "yes" }, 'adopt: must be true or false, not "yes".'],
		[{ paused: "yes" }, 'paused: must be true or false, not "yes".'],
		[{ workers: "4" }, 'workers: must be a whole number such as 4, not "4".'],
		[
			{ workers: "4711", __secret: ["workers"] },
			"workers: must be a whole number such as 4, not a string.",
		],
		[
			{ workers: Number.NaN },
			"workers: must be a whole number such as 4, not NaN, which Number() makes of a value that is missing or no number.",
		],
		[
			{ workers: Number.POSITIVE_INFINITY },
			"workers: must be a whole number such as 4, not Infinity.",
		],
		[
			{ environment: { OK: "1", GONE: null } },
			"environment.GONE: must be a string, not null. Leave the variable out, or give an empty string.",
		],
		[
			{ requirements: ["pillow = 11"] },
			'requirements.0: "pillow = 11" is no requirement that pip can read: write "pillow==11".',
		],
		[
			{ requirements: [`${CANARY} = 11`], __secret: ["requirements"] },
			"requirements.0: is no requirement that pip can read: write one to a line, with its version behind ==.",
		],
		[{ repository: " " }, "repository: must be a URL, or empty for none."],
		[{ files: [" "] }, "files.0: must be the id of a file, as JobFile gives it."],
		[
			{ files: ["./prepare.py"] },
			/^files\.0: is a path, not a file id\. Declare a JobFile whose source is/,
		],
		[{ files: "7" }, 'files: must be a list of files, not "7".'],
		[{ files: [7] }, "files.0: must be the id of a file, as JobFile gives it, not 7."],
		[{ credentialsNames: "a" }, 'credentialsNames: must be a list of names, not "a".'],
		[{ storage: "s3" }, BY_KIND],
		[
			{ storage: { s3: { anon: true }, [`s3${REPEATED_KIND}`]: { anon: true } } },
			"storage.s3 is given twice. A pipeline has one config for each kind of storage.",
		],
		[
			{ storage: { s3: { anon: true } }, environment: { FSSPEC_S3: "x" } },
			"storage.s3 writes the variable FSSPEC_S3, which environment declares too. Remove one of the two.",
		],
		[
			{ storage: { gcs: {} } },
			`storage.gcs has no known kind. Did you mean "gs"? The kinds are ${STORAGES}.`,
		],
		[
			{ storage: { s3: { accessKeyId: CANARY } } },
			"storage.s3.accessKeyId is called key here.",
		],
		[
			{ storage: { s3: { region: "eu-central-1" } } },
			'storage.s3.region is set in clientKwargs: { "region_name": … }.',
		],
		[
			{ storage: { s3: { aws_secret_access_key: CANARY } } },
			"storage.s3.aws_secret_access_key is called secret here.",
		],
		[{ storage: { s3: { key: CANARY } } }, /^storage\.s3\.\w+ .*secret/],
		[{ storage: { gs: { access: CANARY } } }, /^storage\.gs\.access .*read_only/],
	],
	JobFile: [
		[
			{ text: undefined },
			'source: a JobFile needs a source (a path or an asset) or text. Set source to a path such as "./prepare.py".',
		],
		[
			{ source: "./prepare.py" },
			"source: source and text are both given. Keep the one that holds the file's content.",
		],
		[
			{ name: undefined },
			'name: text has no file name. Set name, for example to "config.json".',
		],
		[
			{ text: undefined, source: asset({}) },
			'source: the asset has neither a path, text nor an address. Set source to a path such as "./prepare.py", or set text.',
		],
		[
			{ text: "./package.json" },
			"text: is the path of a file, and text is the content itself. Give the path as source.",
		],
		[
			{ text: undefined, source: "a\nb" },
			"source: has several lines, and source is a path. Give the content as text, with a name.",
		],
		[{ text: undefined, source: 7 }, "source: must be a path or an asset, not 7."],
		[
			{ text: undefined, source: "https://example.com/a.py?token=hidden" },
			"source: is an address, and a string is a path. Use new pulumi.asset.RemoteAsset(…), or fn::remoteAsset in YAML.",
		],
		[{ name: "../x" }, /^name: .*plain file name/],
		[
			{
				text: undefined,
				name: undefined,
				source: asset({ uri: "http://127.0.0.1:9/" }),
			},
			/^name: /,
		],
	],
	Job: [
		[{ query: " ./jobs\\train.PY\n" }, QUERY_PATH],
		[
			{ query: undefined },
			'query: a Job needs a query (its text) or a file. Set file to a path such as "./train.py".',
		],
		[
			{ file: "x.py" },
			"query: query and file are both given. Keep the one that holds the query.",
		],
		[{ query: "" }, "query: must not be empty."],
		[{ query: undefined, file: "package.json" }, UNNAMED_TYPE("package.json")],
		[
			{ queryType: "python" },
			'queryType: must be "PYTHON" or "SHELL", not "python". Did you mean "PYTHON"?',
		],
		[
			{ clusterName: "gpu", clusterId: 2 },
			"clusterName: clusterName and clusterId are both given. Keep one of the two.",
		],
		[{ wait: true, cronExpression: "@daily" }, WAITS_FOR_TASK],
		[{ wait: true, startAfter: "2999-01-01T00:00:00Z" }, WAITS_FOR_TASK],
		[
			{ cronExpression: "H 3 * * *" },
			"cronExpression: H spreads the start times of a PipelineSchedule, and a job has none to spread. Write numbers instead of H.",
		],
		[{ cronExpression: "0 0 3 * * *" }, /^cronExpression: The cron expression/],
		[
			{ environment: { PULUMI_DATACHAIN_JOB: "x" } },
			"environment: PULUMI_DATACHAIN_JOB is set by this resource, to find its job again. Use another name.",
		],
		[{ rerunFrom: "seven" }, "rerunFrom: must be the id of a job, a UUID."],
		[{ priority: 7 }, "priority: must be 0 to 5, not 7."],
		[{ timeout: "soon" }, TIMEOUT],
		[{ clusterName: null, requirements: 5 }, /^requirements: must be /],
		[{ storage: { s3: null } }, /^storage\.s3 must have its parameters/],
		[{ clusterId: 1.5 }, "clusterId: must be the id of a compute cluster, not 1.5."],
		[{ clusterId: 2 ** 60 }, "clusterId: must be the id of a compute cluster."],
		[
			{ clusterName: "defualt" },
			`clusterName: team "ml" has no compute cluster "defualt". Did you mean "default"? ${CLUSTERS}`,
		],
		[
			{ clusterName: "2" },
			`clusterName: team "ml" has no compute cluster "2". "2" is the id of "gpu": set clusterId instead. ${CLUSTERS}`,
		],
		[
			{ clusterId: "gpu" },
			`clusterId: team "ml" has no compute cluster "gpu". "gpu" is the name of 2: set clusterName instead. ${CLUSTERS}`,
		],
		[
			{ clusterName: "nope" },
			`clusterName: team "ml" has no compute cluster "nope". ${CLUSTERS}`,
		],
		[
			{ clusterId: "9" },
			`clusterId: team "ml" has no compute cluster "9". ${CLUSTERS}`,
		],
		[
			{ clusterName: "old" },
			'clusterName: compute cluster "old" is INACTIVE, so a job on it would not start.',
		],
		[{ query: "python train.py --fast" }, QUERY_COMMAND],
		[{ query: " pip install pillow\n" }, QUERY_COMMAND],
		[{ query: "python train.py", queryType: "SHELL" }],
		[{ query: "python = 3" }],
		[{ query: "train .py" }],
		[{ query: "./train.pyc" }],
		[{ query: "import train.py" }],
		[{ query: "./run.sh", queryType: "SHELL" }],
		[{ wait: false, cronExpression: "@daily" }],
		[{ clusterId: 2, workers: 4 }],
		[{ clusterName: "default", workers: 8 }],
		[{ teamName: UNKNOWN, clusterName: "nope" }],
		[{ clusterName: "gpu", workers: UNKNOWN }],
		[{ query: undefined, file: UNKNOWN }],
		[{ environment: UNKNOWN }],
		[{ query: undefined, file: asset({}) }, "file: the asset has nothing in it."],
		[{ query: 5 }, "query: must be a string, not a number."],
		[{ query: undefined, file: 5 }, "file: must be a path or an asset, not 5."],
		[{ query: undefined, file: "" }, "file: must not be empty."],
		[
			{ query: undefined, file: tmpdir() },
			`file: cannot read ${JSON.stringify(tmpdir())}: it is a directory and not a regular file. Check the file and its path.`,
		],
		[{ teamName: "" }, "teamName: must not be empty."],
		[{ workers: 9 }, 'workers: must be 1 to 8 on compute cluster "default", not 9.'],
		[
			{ clusterId: "2", workers: 5 },
			'workers: must be 1 to 4 on compute cluster "gpu", not 5.',
		],
	],
	Pipeline: [
		[{ datasets: undefined }, "datasets: is required."],
		[
			{ datasets: "dev.images.clean" },
			'datasets: must be a list of datasets such as ["dev.images.final_result"], not "dev.images.clean".',
		],
		[{ datasets: [] }, "datasets: must name at least one dataset."],
		[
			{ datasets: ["dev.a.b", "dev.a.c", "dev.a.b"] },
			"datasets: must name each dataset once.",
		],
		[
			{ datasets: ["ds://dev.a.b"] },
			'datasets.0: "ds://dev.a.b" is a URI, and a dataset has a name: write "dev.a.b".',
		],
		[{ datasets: ["dev.a.b@latest"] }, /has no version that can be read/],
		[
			{ datasets: ["dev.a.b", "final"] },
			'datasets.1: "final" is no dataset: write namespace.project.name, with an optional @version, as in dev.images.final_result@1.0.2.',
		],
		[
			{ datasets: "" },
			'datasets: must be a list of datasets such as ["dev.images.final_result"], not "".',
		],
		[{ name: "mine" }, /^name: there is no such input/],
		[{ removeJobs: "a" }, 'removeJobs: must be a list of names of jobs, not "a".'],
		[
			{ timeout: true },
			'timeout: must be a string such as "30m" or a number of seconds, not true.',
		],
		[{ timeout: "soon" }, TIMEOUT],
		[
			{ wait: true, start: false },
			"wait: a pipeline that is not started never ends. Set start to true, or leave wait out.",
		],
		[{ wait: true, start: true }],
		[{ onDestroy: "delete" }, 'onDestroy: must be "pause" or "leave", not "delete".'],
	],
};

freshStack();

const kindsWithRows = Object.values(KINDS_UNDER_TEST).filter(
	({ kind }) => DECLARED[kind] !== undefined,
);
describe.each(kindsWithRows)(
	"$kind is checked at preview, and nothing is sent",
	(kind) => {
		it.each<Row>(DECLARED[kind.kind] ?? [])("%j: %s", async (inputs, reason) => {
			const news = {
				...kind.inputs,
				...inputs,
				__urn: urnOf(kind.kind, "it"),
				__preview: true,
			};
			const provider = world.process().serve(kind.kind);
			const { inputs: checked, failures } = await provider.check({}, news);
			const reasons = failures.map((failure) => failure.reason);
			const says = reason instanceof RegExp ? expect.stringMatching(reason) : reason;
			expect(reasons).toEqual(reason === undefined ? [] : [says]);
			expect(reasons.join()).not.toContain(CANARY);
			// What is refused is not compiled.
			if (!("utcCron" in inputs)) expect(checked).not.toHaveProperty("utcCron");
			const asked = world.server.requests.entries.map(({ endpoint }) => endpoint);
			expect(asked.filter((endpoint) => endpoint !== "listClusters")).toEqual([]);
		});
	},
);

describe("what the provider makes of changed inputs", () => {
	it("the preview of a file's replacement shows what will be another, and nothing as removed", async () => {
		const file = (text: string) => [jobFile("f", { text, name: "f.txt" })];
		await stack.up(file("one"));
		const { inputs, outs } = stack.entry("f");
		/** As the engine does where the diff says "replace": with the old inputs, and then without. */
		const check = async (text: string, preview: boolean) => {
			const provider = world.process({ preview }).serve("JobFile");
			const news = {
				text,
				name: "f.txt",
				__urn: inputs.__urn,
				...(preview && { __preview: true }),
			};
			const { inputs: first } = await provider.check(inputs, news);
			return { first, ...(await provider.check({}, news)) };
		};
		const shown = (await check("two", true)).inputs;
		expect(
			Object.keys(outs).filter((key) => !key.startsWith("__") && !(key in shown)),
		).toEqual([]);
		expect(shown).toMatchObject({
			fileId: UNKNOWN,
			filename: "f.txt",
			serviceUrl: outs.serviceUrl,
		});
		expect((await check("two", true)).first).not.toHaveProperty("fileId");
		expect((await check("two", false)).inputs).not.toHaveProperty("fileId");
	});

	it("a pipeline that is not there comes with those that are", async () => {
		const says =
			'pipelineName: team "ml" has no pipeline "p9". It has "p3", "p2", "p1".';
		const onP9 = { pipelineName: "p9" };
		for (const declared of [named("x", "x", onP9), tuned({ ...onP9, workers: 1 }, "x")])
			expect((await stack.up([declared])).failures).toEqual([`x: ${says}`]);
	});

	it("a timeout without wait has no effect, which is told", async () => {
		const notice = (name: string) =>
			`"${name}": timeout "30m" has no effect, because wait is not set. Set wait to true, or leave timeout out.`;
		const program = [job({ timeout: "30m" }), pipeline({ timeout: "30m" })];
		const { failures, notices } = await stack.preview(program);
		expect([failures, notices]).toEqual([[], [notice("train"), notice("images")]]);
		const decided = [
			job({ timeout: "30m", wait: false }),
			pipeline({ timeout: "30m", start: true, wait: true }),
		];
		expect((await stack.preview(decided)).notices).toEqual([]);
	});

	it("a pipeline that is misspelled comes with the one that was meant", async () => {
		world.server.addTeam("audio", { pipelines: ["nightly-images", "weekly"] });
		const declared = { pipelineName: "nigthly-image", teamName: "audio" };
		const says =
			'x: pipelineName: team "audio" has no pipeline "nigthly-image". Did you mean "nightly-images"? It has "weekly", "nightly-images".';
		expect((await stack.up([named("x", "x", declared)])).failures).toEqual([says]);
		expect(
			(await stack.up([tuned({ ...declared, workers: 1 }, "x")])).failures,
		).toEqual([says]);
	});

	it("a dataset that is misspelled comes with the one that pipelines of the team rebuild", async () => {
		await stack.up([pipeline({})]);
		const { failures } = await stack.up([
			pipeline({ datasets: ["dev.images.claen"] }, "other"),
		]);
		expect(failures).toEqual([
			expect.stringMatching(/dev\.images\.claen.* Did you mean "dev\.images\.clean"\?/),
		]);
	});

	it("a schedule gets a name of its project, stack and resource where it declares none", async () => {
		const program = [schedule("nightly", { pipelineName: "p1" })];
		expect((await new Stack(world, "prod").up(program)).failures).toEqual([]);
		expect(there()).toMatchObject([{ name: "shop-prod-nightly" }]);
	});

	it("a cron that is removed replaces the schedule by one that runs once", async () => {
		const once = { startAfter: "2030-01-01T00:00:00Z" };
		await stack.up([named("a", "a", once)]);
		const before = stack.ids().a;
		const run = await stack.up([
			named("a", "a", { ...once, cronExpression: undefined }),
		]);
		expect(run).toMatchObject({ steps: ["replace a"], failures: [] });
		expect(there()).toMatchObject([{ cronExpression: null }]);
		expect(stack.ids().a).not.toBe(before);
	});
});

describe("a placeholder of the state that a program declares as a value", () => {
	const PLACEHOLDER = "(set outside Pulumi)";
	const s = (inputs: Props) => tuned(inputs, "x");
	const reserved = (path: string) =>
		`x: ${path}: "(set outside Pulumi)" stands for a value that other users set, so it is never sent. Declare the value ` +
		`itself, leave ${path} out, or list it in ignoreChanges.`;

	it.each<[string, Resource, string]>([
		["a schedule's name", named("x", PLACEHOLDER), reserved("scheduleName")],
		[
			"a line of the requirements",
			s({ requirements: ["a", PLACEHOLDER] }),
			reserved("requirements.1"),
		],
	])("is refused before anything is sent: %s", async (_, declared, reason) => {
		const { failures } = await stack.up([declared]);
		expect(failures[0]?.split("\n")[0]).toBe(reason.split("\n")[0]);
		expect(world.writes()).toEqual([]);
	});

	it("passes in the text of a query and of a file, which are never read back", async () => {
		const query = `# ${PLACEHOLDER}`;
		const program = [job({ query }), jobFile("f", { text: query, name: "f.py" })];
		expect((await stack.up(program)).failures).toEqual([]);
	});
});
