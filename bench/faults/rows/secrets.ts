import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
	checkStorage,
	SECRET_PARAMETERS,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
} from "../../../src/storage/rules";
import { runCli } from "../../../test/helpers/cli";
import {
	type Declared,
	PROGRAM,
	resource,
	testDeployment,
} from "../../../test/helpers/e2e-deployment";
import type { Random } from "../../../test/model/random";
import type { Result } from "../../../tools/stack";
import type { Figure, Row, RowContext } from "../row";

/** Canaries in every secret field, through every kind of step and failure, looked for in every place. */
export const secrets: Row = {
	number: 4,
	name: "secrets",
	onEngine: true,
	async run(context) {
		const canaries = new Canaries(context.random.fork("secrets"));
		const { problems, encrypted } = await life(context, canaries);
		const searched =
			[...canaries.searched.values()].reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20;
		const credentials = Object.values(SECRET_PARAMETERS).flat().length;
		// The second deployment's canaries are in the state: encrypted. What others had there before is nowhere.
		const wanted = [...canaries.made.keys()].filter((field) => /^second /.test(field));
		const missing = wanted.filter((field) => !encrypted.has(field));
		return {
			load: `${canaries.made.size} canaries (${credentials} storage credentials among them), ${searched.toFixed(0)} MB searched`,
			figures: [
				...PLACES.map((place) => clear(canaries, place)),
				{
					what: `of ${wanted.length} canaries in the state, not encrypted`,
					cases: missing,
				},
				{ what: "steps that did not go as planned", cases: problems },
			],
		};
	},
};

/** Nothing found in nothing proves nothing. */
const clear = (canaries: Canaries, place: Place): Figure => ({
	what: `canaries in clear: ${place}`,
	cases: canaries.searched.get(place) ? canaries.at(place) : ["nothing was searched"],
});

/** A command of ours: where what it prints belongs, its arguments, and what it must end with where it matters. */
type Command = readonly [place: Place, args: readonly string[], code?: number];

/** The life of a stack on the real engine, searched after each step. */
async function life({ progress }: RowContext, canaries: Canaries) {
	/** Steps that did not go as they must for the search to mean anything. */
	const problems: string[] = [];
	const token = canaries.word("token");
	const log: string[] = [];
	const test = await testDeployment({
		token,
		program: WITH_OUTPUTS,
		log: (line) => log.push(line),
	});
	const { stack, folder, client, server } = test;

	/** Runs one command, then searches all that it may have left or printed. */
	const step = async (name: string, running: Promise<Result>, ok = true) => {
		const { code, stdout, stderr } = await running;
		if ((code === 0) !== ok)
			problems.push(`${name} ended with ${code}: ${(stderr || stdout).slice(-600)}`);
		canaries.search("stdout and stderr", name, `${stdout}\n${stderr}`);
		canaries.search("server log", name, log.join("\n"));
		canaries.searchFolder("state", name, stack.folder);
		// The program's own file holds what it declares; all else in its folder must not.
		canaries.searchFolder("state", name, folder, "declared.json");
		progress(name);
	};
	const up = (round: string, flags = ["--skip-preview"], ok = true) =>
		step(round, stack.up(["--diff", ...flags]), ok);
	const commands = (...runs: readonly Command[]) =>
		Promise.all(
			runs.map(async ([place, args, wanted]) => {
				const { code, stdout, stderr } = await runCli({ folder, env: stack.env }, args);
				const what = args.join(" ");
				if (wanted !== undefined && code !== wanted)
					problems.push(`${what}: ${code} ${stderr.slice(-300)}`);
				canaries.search(place, what, `${stdout}\n${stderr}`);
			}),
		);

	try {
		await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `THEIRS=${canaries.text("before environment")}`,
			repository: `https://u:${canaries.word("before repository")}@example.com/before.git`,
		});
		test.declare(...resources(canaries, "first"));
		await up("first", []);
		test.declare(...resources(canaries, "second"));
		await up("second");
		// With the passphrase everything is there: the canaries did get into the state, and only encrypted.
		const shown = await stack.run([
			"stack",
			"export",
			"--show-secrets",
			"--stack",
			stack.name,
		]);
		const encrypted = canaries.shownIn(shown.stdout);

		// Others change and add things; refresh, every form of the drift report and the export look at them.
		const text = (field: string) => canaries.text(`drifted ${field}`);
		const s3 = { key: text("storage.s3.key"), extra: text("storage.s3, added") };
		await client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `OURS=${text("OURS")}\nADDED=${text("ADDED")}\nFSSPEC_S3=${JSON.stringify(s3)}`,
			repository: `https://u:${canaries.word("drifted repository")}@example.com/other.git`,
			requirements: `--extra-index-url https://${canaries.word("drifted requirements")}@example.com/simple`,
		});
		await step("refresh preview", stack.refresh(["--preview-only", "--diff"]));
		const [drift, out] = [
			["drift", "--stack", stack.name],
			join(stack.folder, "exported"),
		];
		await commands(
			["drift reports", [...drift, "--html", join(stack.folder, "drift.html")], 2],
			["drift reports", [...drift, "--json"], 2],
			["drift reports", ["--debug", ...drift, "--markdown"], 2],
			["exported programs", ["export", "--out", out], 0],
		);
		canaries.searchFolder("exported programs", "files", out);
		await step("refresh", stack.refresh(["--skip-preview", "--diff"]));
		test.declare(...refused(canaries));
		await step("check failure", stack.preview(["--diff"]), false);

		// The service refuses, repeating what it got; one resource at a time, as it can only repeat what it was sent.
		const settings = resources(canaries, "error").slice(0, 1);
		test.declare(...settings);
		const message = `bad ${token}: ${JSON.stringify(settings[0]?.args)}`;
		server.faults.add({
			endpoint: "updateSettings",
			kind: "status",
			status: 400,
			message,
		});
		await up("error", undefined, false);
		server.faults.clear();
		// The command line fails with its own traces switched on.
		server.faults.add({ kind: "status", status: 400, message: `no ${token}` });
		await commands(
			["stdout and stderr", ["--debug", ...drift]],
			[
				"stdout and stderr",
				["--debug", "export", "--out", join(stack.folder, "failed")],
			],
			["stdout and stderr", ["doctor", "--stack", stack.name, "--json"]],
		);
		server.faults.clear();

		// The token in the stack's configuration instead of the environment.
		await stack.setConfig("datachain:token", token, { secret: true });
		delete stack.env.DATACHAIN_STUDIO_TOKEN;
		test.declare(...resources(canaries, "token in the config"));
		await up("token in the config");
		stack.env.DATACHAIN_STUDIO_TOKEN = token;
		await step("destroy", stack.destroy(["--skip-preview", "--diff"]));
		return { problems, encrypted };
	} finally {
		await test.dispose();
	}
}

/** Has what the settings hold in its outputs, where the engine would show them. */
const WITH_OUTPUTS = `${PROGRAM}
const { settings } = made;
if (settings) module.exports = { environment: settings.environment, storage: settings.storage };
`;

/** Every credential of every storage, by the schemas: a new one is in here without being written down. */
function storageWithCanaries(
	canaries: Canaries,
	round: string,
): { $storage: StorageKind; args: object }[] {
	return STORAGE_KINDS.filter((kind) => SECRET_PARAMETERS[kind].length > 0).map(
		(kind) => {
			const secrets = SECRET_PARAMETERS[kind].map((name) => {
				const [field, schema] = [
					`${round} storage.${kind}.${name}`,
					STORAGES[kind].shape[name],
				];
				if (name === "connectionString")
					return [name, `AccountName=images;AccountKey=${canaries.word(field)}=`];
				const asText = canaries.text(field);
				return [
					name,
					schema?.safeParse(asText).success ? asText : { outer: { inner: [asText] } },
				];
			});
			// Not secret, and needed beside those that are.
			const beside =
				kind === "az"
					? { accountName: "images", clientId: "client", tenantId: "tenant" }
					: {};
			const parameters = { ...beside, ...Object.fromEntries(secrets) };
			const { problems } = checkStorage({ kind, parameters }, () => false);
			if (problems.length > 0)
				throw new Error(
					`storage.${kind}: ${problems.map(({ reason }) => reason).join(" ")}`,
				);
			return { $storage: kind, args: parameters };
		},
	);
}

/** The whole program with fresh canaries in each secret field. */
function resources(canaries: Canaries, round: string): Declared[] {
	const word = (field: string) => canaries.word(`${round} ${field}`);
	const text = (field: string) => canaries.text(`${round} ${field}`);
	const settings = {
		pipelineName: "rusty-vise",
		environment: { OURS: { $secret: text("environment.OURS") }, MODE: "fast" },
		storage: storageWithCanaries(canaries, round),
		repository: `https://user:${word("repository")}@example.com/repo.git`,
		requirements: [
			"pillow",
			`--extra-index-url https://${word("requirements")}@example.com/simple`,
		],
		adopt: true,
		onDestroy: "reset",
	};
	const environment = { $secret: { ALL: text("environment, secret as a whole") } };
	const config = {
		$storage: "s3",
		args: { key: text("toJobFile key"), secret: text("toJobFile secret") },
	};
	return [
		resource("PipelineSettings", "settings", settings),
		resource("PipelineSettings", "whole", {
			pipelineName: "quiet-harbor",
			environment,
		}),
		resource("PipelineSchedule", "schedule", {
			pipelineName: "rusty-vise",
			cronExpression: "@daily",
		}),
		resource("JobFile", "file", {
			name: "f.txt",
			text: { $secret: text("JobFile text") },
		}),
		resource("JobFile", "config", { $file: config }),
	];
}

/** Inputs that are refused, each with a canary where a message could show it. */
function refused(canaries: Canaries): Declared[] {
	const text = (field: string) => canaries.text(`check ${field}`);
	const word = (field: string) => canaries.word(`check ${field}`);
	const storage = ($storage: StorageKind, args: object) => ({
		storage: [{ $storage, args }],
	});
	const twoLines = `${text("line break")}\nEXTRA=${text("after it")}`;
	const settings: Readonly<Record<string, object>> = {
		break: { environment: { OURS: { $secret: twoLines } } },
		badname: { environment: { "BAD NAME": { $secret: text("bad name") } } },
		repository: {
			repository: { $secret: `https://u:${word("repository")}@example.com/\u0007` },
		},
		requirements: {
			requirements: [`https://u:${word("requirements")}@example.com/\u0007`],
		},
		alone: storage("s3", {
			key: text("s3.key alone"),
			secretKey: text("s3, no such parameter"),
		}),
		endpoint: storage("s3", {
			endpointUrl: `https://u:${word("s3.endpointUrl")}@example.com`,
		}),
		token: storage("gs", { token: `{"private_key":"${word("gs.token")}"}` }),
		string: storage("az", { connectionString: text("az.connectionString") }),
	};
	return [
		...Object.entries(settings).map(([name, more]) =>
			resource("PipelineSettings", name, {
				pipelineName: `nightly-${name}`,
				adopt: true,
				...more,
			}),
		),
		resource("JobFile", "unnamed", {
			text: { $secret: text("JobFile without a name") },
		}),
	];
}

const LETTERS = [..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"];

/** What a text turns into when it is put into JSON, a URL or another encoding. */
const FORMS: Readonly<Record<string, (text: string) => string[]>> = {
	plain: (text) => [text],
	"JSON-escaped": (text) => [
		JSON.stringify(text),
		JSON.stringify(JSON.stringify(text)),
	],
	"URL-encoded": (text) => [
		encodeURIComponent(text),
		new URLSearchParams({ x: text }).toString(),
	],
	base64: (text) => inner64(text, "base64"),
	base64url: (text) => inner64(text, "base64url"),
	hex: (text) => [Buffer.from(text).toString("hex")],
};

/** The part of the encoding that depends on the text alone; what stands before it moves the groups of three bytes. */
const inner64 = (text: string, encoding: "base64" | "base64url"): string[] =>
	["", "x", "xx"].map((before) =>
		Buffer.from(before + text)
			.toString(encoding)
			.slice(before === "" ? 0 : 4, -4),
	);

/** Where people look, or what they share: each has a figure of its own. */
const PLACES = [
	"state",
	"stdout and stderr",
	"server log",
	"drift reports",
	"exported programs",
] as const;
type Place = (typeof PLACES)[number];

/** Length of the fragments that are looked for: short enough to find a cut text, too long to meet by chance. */
const FRAGMENT = 12;

/** Every value begins with so many letters, which nothing writes in another way. */
const LETTERS_FIRST = 18;

/** Makes values that must never be seen in clear, and finds them and their fragments in whatever form. */
class Canaries {
	/** By the field each was put into. */
	readonly made = new Map<string, string>();
	private readonly fragments = new Map<string, { field: string; form: string }>();
	/** Of the characters that all canaries have in the middle: nobody's secret. */
	private readonly common = new Set<string>();
	private readonly seen = new Map<Place, Set<string>>(
		PLACES.map((place) => [place, new Set()]),
	);
	/** Bytes that were searched. */
	readonly searched = new Map<Place, number>();

	constructor(private readonly random: Random) {}

	/** Letters and digits only: for tokens and passwords in URLs. */
	word(field: string): string {
		return this.add(field, this.letters(32));
	}

	/** With characters that JSON, URLs and shells write differently. */
	text(field: string): string {
		return this.add(field, `${this.letters(LETTERS_FIRST)}"/+ é\\%${this.letters(18)}`);
	}

	private letters(length: number): string {
		return Array.from({ length }, () => this.random.pick(LETTERS)).join("");
	}

	private add(field: string, value: string): string {
		this.made.set(field, value);
		const forms = Object.entries(FORMS).flatMap(([form, encode]) =>
			encode(value).map((text) => ({ form, text })),
		);
		for (const { form, text } of forms) {
			for (const fragment of fragmentsOf(Buffer.from(text))) {
				const known = this.fragments.get(fragment);
				// The first form wins: most fragments look alike in several.
				if (known === undefined) this.fragments.set(fragment, { field, form });
				else if (known.field !== field) this.common.add(fragment);
			}
		}
		return value;
	}

	search(place: Place, what: string, text: string | Buffer): void {
		this.searched.set(place, (this.searched.get(place) ?? 0) + text.length);
		for (const fragment of fragmentsOf(Buffer.from(text as string))) {
			const hit = this.common.has(fragment) ? undefined : this.fragments.get(fragment);
			if (hit !== undefined)
				this.seen.get(place)?.add(`${what}: ${hit.field} (${hit.form})`);
		}
	}

	/** All files of a folder, whatever they are called; links lead to what is not ours. */
	searchFolder(place: Place, what: string, folder: string, skip = ""): void {
		for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
			if (!entry.isFile() || entry.name === skip) continue;
			const path = join(entry.parentPath, entry.name);
			this.search(place, `${what} ${relative(folder, path)}`, readFileSync(path));
		}
	}

	/** Which canaries were seen there, by field and form: `storage.s3.key (base64)`. */
	at(place: Place): string[] {
		return [...(this.seen.get(place) ?? [])];
	}

	/** Fields whose canary is in a text that is in clear, known by the letters that it begins with. */
	shownIn(text: string): Set<string> {
		const shown = [...this.made].filter(([, value]) =>
			text.includes(value.slice(0, LETTERS_FIRST)),
		);
		return new Set(shown.map(([field]) => field));
	}
}

function* fragmentsOf(content: Buffer): Generator<string> {
	const bytes = content.toString("latin1");
	for (let at = 0; at + FRAGMENT <= bytes.length; at++)
		yield bytes.slice(at, at + FRAGMENT);
}
