import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { endpoints } from "../../../../src/schemas/endpoints";
import { onExit } from "../../../../tools/process/cleanup";
import { repository } from "../../../../tools/repository";
import { all, none, type Row, type RowContext, type RowResult } from "../../row";
import type { Canaries } from "./calls";
import type { Task } from "./client-process";
import { startHostileServer } from "./hostile-server";
import { captureTemplates } from "./templates";
import { type Findings, leakFinder, noFindings } from "./watch";
import { KIND_COUNT } from "./wire";

/** Replies for each endpoint, to the client and to the resources that use it. */
const COUNTS = { quick: { calls: 300, operations: 60 }, full: { calls: 10_000, operations: 2_000 } };
const MAX_REPLY_BYTES = 256 * 1024;
/** What the system may hold of an endless reply after the client hung up. */
const IN_FLIGHT_BYTES = 16 * 1024 * 1024;
/** No progress for this long, and the client process is taken for stuck. */
const STUCK_MILLIS = 60_000;

export const replies: Row = {
	number: 1,
	name: "replies",
	async run(context): Promise<RowResult> {
		const { calls, operations } = COUNTS[context.scale];
		const seed = context.random.seed;
		const canaries = drawCanaries();
		const server = await startHostileServer(seed, await captureTemplates(), calls);
		try {
			const task: Task = {
				url: server.url,
				seed,
				canaries,
				perEndpoint: calls,
				perOperation: operations,
				maxReplyBytes: MAX_REPLY_BYTES,
			};
			const { findings, printed } = await runClients(task, context);
			if (leakFinder(canaries)(printed)) findings.leaks.push("in what the process printed");
			if (server.longestFlood() > MAX_REPLY_BYTES + IN_FLIGHT_BYTES) {
				findings.memory.push(`${server.longestFlood()} bytes of an endless reply were read`);
			}
			const { replies: spoilt, cases } = server.spoilt();
			context.progress(`${spoilt} spoilt replies, at most ${findings.peakMegabytes} MB; ${ends(findings)}`);
			return result(findings, { spoilt, cases, calls, operations });
		} finally {
			await server.close();
		}
	},
};

/** Not from the seed: a secret that two runs share would be no secret, and no choice depends on it. */
function drawCanaries(): Canaries {
	const draw = () => randomBytes(18).toString("hex");
	return { token: `dcp_${draw()}`, environment: [draw(), draw()], password: draw() };
}

const ends = ({ outcomes }: Findings): string =>
	Object.entries(outcomes)
		.map(([name, count]) => `${name} ${count}`)
		.join(", ");

interface Sent {
	/** Replies, repetitions included, and cases that met at least one. */
	readonly spoilt: number;
	readonly cases: number;
	readonly calls: number;
	readonly operations: number;
}

/** A connection that the case before has spoilt may break before the request is read. */
const LEAST_SHARE = 0.95;

function result(found: Findings, { spoilt, cases, calls, operations }: Sent): RowResult {
	const count = Object.keys(endpoints).length;
	const taken = found.validTaken;
	const planned = calls * count;
	return {
		load:
			`${spoilt.toLocaleString("en-US")} spoilt replies on ${count} endpoints: ${calls.toLocaleString("en-US")} each ` +
			`to the client, and ${operations.toLocaleString("en-US")} operations of resources for each they use; ${KIND_COUNT} kinds`,
		figures: [
			none("crashes", found.crashes),
			none("hangs", found.hangs),
			none("unbounded memory", found.memory),
			none("secrets in a message", found.leaks),
			none("prototypes polluted", found.polluted),
			{
				what: "calls that met a spoilt reply",
				reached: `${((100 * cases) / planned).toFixed(1)} %`,
				wanted: `${100 * LEAST_SHARE} %`,
				ok: cases >= planned * LEAST_SHARE,
				detail: `${cases} of ${planned}`,
			},
			all("valid replies between, taken", taken, taken + found.validRefused.length, found.validRefused),
		],
	};
}

/** The clients run in a process of their own: what they do to it, the bench must survive. */
function runClients(task: Task, context: RowContext): Promise<{ findings: Findings; printed: string }> {
	const child = fork(join(__dirname, "client-process.ts"), [], {
		cwd: repository,
		execArgv: ["--expose-gc", "--max-old-space-size=512", "-r", "ts-node/register/transpile-only"],
		stdio: ["ignore", "pipe", "pipe", "ipc"],
	});
	const withdraw = onExit(() => child.kill("SIGKILL"));
	let printed = "";
	child.stdout?.on("data", (part) => (printed += part));
	child.stderr?.on("data", (part) => (printed += part));
	let findings: Findings | undefined;
	let last = "it had not begun";
	let stuck: NodeJS.Timeout;
	let isStuck = false;
	const alive = (): void => {
		clearTimeout(stuck);
		stuck = setTimeout(() => {
			isStuck = true;
			child.kill("SIGKILL");
		}, STUCK_MILLIS);
	};
	alive();
	child.on("message", (message: { progress?: number; of?: number; findings?: Findings }) => {
		alive();
		if (message.findings) findings = message.findings;
		else {
			last = `${message.progress} of ${message.of} cases`;
			context.progress(last);
		}
	});
	child.send(task);
	return new Promise((resolve) => {
		child.on("close", (code, signal) => {
			clearTimeout(stuck);
			withdraw();
			const lost: Findings = { ...noFindings(), validRefused: ["none was sent"] };
			const how = `the client process ended with ${signal ?? code} after ${last}: ${printed.trim().slice(0, 500)}`;
			(isStuck ? lost.hangs : lost.crashes).push(
				leakFinder(task.canaries)(how) ? "with a secret in its output" : how,
			);
			resolve({ findings: findings ?? lost, printed });
		});
	});
}
