import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import type { LogFrame } from "../schemas/job";
import { isFinishedJobStatus } from "../schemas/job";
import type { ServerContext } from "./app";
import { requireTeam } from "./auth";
import { notFound, Refusal } from "./inputs";
import { type JobRecord, jobById } from "./state";

const PATH = "/api/logs/follow/";
/** A frame stays under 1 MiB: at most this many characters of text, each of which JSON may escape to six. */
const FRAME_CHARACTERS = 120_000;
/** A reader that lags this far behind is cut off; it can come back and gets everything again. */
const MOST_BUFFERED = 32 * 1024 * 1024;

/** Answers upgrades to the WebSocket over which log text reaches clients, on the same port as everything else. */
export function makeLogSocket(context: ServerContext) {
	const server = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024, clientTracking: false });
	return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
		socket.on("error", () => socket.destroy());
		const [path = "", query = ""] = (request.url ?? "").split("?", 2);
		const method = request.method ?? "GET";
		const done = context.requests.begin({ method, path, query, endpoint: undefined });
		try {
			if (path !== PATH) throw notFound(`There is no WebSocket at ${path.slice(0, 200)}.`);
			const follow = prepare(context, request, new URLSearchParams(query));
			if (follow === undefined) socket.destroy();
			else server.handleUpgrade(request, socket, head, follow);
			done(follow === undefined ? 0 : 101);
		} catch (error) {
			const refusal =
				error instanceof Refusal ? error : new Refusal(500, "The server failed to answer this request.");
			refuseSocket(socket, refusal);
			done(refusal.status);
		}
	};
}

/** Everything that can be refused is refused here, before the handshake is answered; undefined hangs up. */
function prepare(
	context: ServerContext,
	request: IncomingMessage,
	query: URLSearchParams,
): ((ws: WebSocket) => void) | undefined {
	const grant = context.tokens.authenticate(request.headers.authorization, "read");
	const team = requireTeam(context.world, grant, query.get("team_name") ?? undefined);
	const asked = { target: "followLogs", team: team.name } as const;
	const early = context.faults.take(asked, ["status", "reset-before"]);
	if (early?.kind === "status") throw new Refusal(early.status, early.message ?? "Fault: asked for.");
	if (early?.kind === "reset-before") return undefined;
	const drop = context.faults.take(asked, ["drop-log-socket"]);
	const noFollow = /^(true|1)$/i.test(query.get("no_follow") ?? "");
	const jobId = query.get("job_id") ?? "";
	return (ws) => {
		// What a client sends means nothing here, and sending nonsense must not bring the server down.
		ws.on("error", () => ws.terminate());
		const job = jobById(team, jobId);
		if (job === undefined) {
			// A bare message is how this protocol reports an error that a reconnect would not cure.
			ws.send(JSON.stringify({ message: `Team "${team.name}" has no job "${jobId.slice(0, 60)}".` }));
			ws.close();
			return;
		}
		followJob(context, job, ws, noFollow, drop?.frames);
	};
}

/** With `noFollow` the client waits for the end and wants no text. */
function followJob(
	context: ServerContext,
	job: JobRecord,
	ws: WebSocket,
	noFollow: boolean,
	framesLeft = Number.POSITIVE_INFINITY,
): void {
	let linesSent = 0;
	let statusSent: string | undefined;
	const send = (frame: LogFrame): void => {
		if (ws.readyState !== WebSocket.OPEN) return;
		if (framesLeft-- <= 0 || ws.bufferedAmount > MOST_BUFFERED) ws.terminate();
		else ws.send(JSON.stringify(frame));
	};
	const flush = (): void => {
		if (statusSent === undefined && !noFollow && context.blobs.enabled && isFinishedJobStatus(job.status)) {
			send({ log_blobs: [`${context.url()}${context.blobs.publish(() => job.logs.join(""))}`] });
			linesSent = job.logs.length;
		}
		while (!noFollow && linesSent < job.logs.length && ws.readyState === WebSocket.OPEN) {
			const logs = nextLines(job, linesSent);
			send({ logs });
			linesSent += logs.length;
		}
		if (statusSent !== job.status) {
			statusSent = job.status;
			send({ job: { status: job.status } });
		}
		if (isFinishedJobStatus(job.status)) ws.close(1000);
	};
	const ping = setInterval(() => send({ type: "ping" }), context.pingMillis).unref();
	const unsubscribe = context.world.onJobChange(job.id, flush);
	ws.on("close", () => {
		clearInterval(ping);
		unsubscribe();
	});
	flush();
}

function nextLines(job: JobRecord, from: number): { id: number; message: string }[] {
	const lines: { id: number; message: string }[] = [];
	let characters = 0;
	for (let at = from; at < job.logs.length && lines.length < 1_000; at++) {
		const message = job.logs[at] ?? "";
		characters += message.length + 10;
		if (characters > FRAME_CHARACTERS && lines.length > 0) break;
		lines.push({ id: at + 1, message });
	}
	return lines;
}

/** Answers where there is no reply object, because the connection wants to be something else than HTTP. */
function refuseSocket(socket: Duplex, { status, message }: Refusal): void {
	const body = JSON.stringify({ message });
	const headers = [
		`HTTP/1.1 ${status} Refused`,
		"Content-Type: application/json",
		`Content-Length: ${Buffer.byteLength(body)}`,
		"Connection: close",
	];
	socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

/** Logs of finished jobs as the service hands them out: behind an address that is its own permission. */
export class LogBlobs {
	readonly #blobs = new Map<string, () => string>();

	constructor(readonly enabled: boolean) {}

	/** Returns the path at which the text can be fetched without a token. */
	publish(text: () => string): string {
		const name = randomBytes(24).toString("hex");
		this.#blobs.set(name, text);
		return `/api/_blobs/${name}`;
	}

	read(name: string): string | undefined {
		return this.#blobs.get(name)?.();
	}
}
