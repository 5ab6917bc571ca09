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
const PING_MILLIS = 5_000;
/** A frame stays under 1 MiB: at most this many characters of text, each of which JSON may escape to six. */
const FRAME_CHARACTERS = 120_000;

/** Answers upgrades to the WebSocket over which log text reaches clients, on the same port as everything else. */
export function makeLogSocket(context: ServerContext) {
	const server = new WebSocketServer({
		noServer: true,
		maxPayload: 64 * 1024,
		clientTracking: false,
	});
	return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
		socket.on("error", () => socket.destroy());
		const [path = "", query = ""] = (request.url ?? "").split("?", 2);
		const done = context.requests.begin({
			method: "GET",
			path,
			query,
			endpoint: undefined,
		});
		try {
			if (path !== PATH)
				throw notFound(`There is no WebSocket at ${path.slice(0, 200)}.`);
			server.handleUpgrade(
				request,
				socket,
				head,
				prepare(context, request, new URLSearchParams(query)),
			);
			done(101);
		} catch (error) {
			if (!(error instanceof Refusal)) throw error;
			refuseSocket(socket, error);
			done(error.status);
		}
	};
}

/** Everything that can be refused is refused here, before the handshake is answered. */
function prepare(
	context: ServerContext,
	request: IncomingMessage,
	query: URLSearchParams,
): (ws: WebSocket) => void {
	const grant = context.tokens.authenticate(request.headers.authorization, "read");
	const team = requireTeam(context.world, grant, query.get("team_name") ?? undefined);
	const fault = context.faults.take({ target: "followLogs", team: team.name }, [
		"status",
	]);
	if (fault !== undefined)
		throw new Refusal(fault.status, fault.message ?? "Fault: asked for.");
	const noFollow = /^(true|1)$/i.test(query.get("no_follow") ?? "");
	const jobId = query.get("job_id") ?? "";
	return (ws) => {
		// What a client sends means nothing here, and sending nonsense must not bring the server down.
		ws.on("error", () => ws.terminate());
		const job = jobById(team, jobId);
		if (job === undefined) {
			// A bare message is how this protocol reports an error that a reconnect would not cure.
			ws.send(
				JSON.stringify({
					message: `Team "${team.name}" has no job "${jobId.slice(0, 60)}".`,
				}),
			);
			ws.close();
			return;
		}
		followJob(context, job, ws, noFollow);
	};
}

/** With `noFollow` the client waits for the end and wants no text. */
function followJob(
	{ world }: ServerContext,
	job: JobRecord,
	ws: WebSocket,
	noFollow: boolean,
): void {
	let linesSent = 0;
	let statusSent: string | undefined;
	const send = (frame: LogFrame): void => {
		if (ws.readyState === WebSocket.OPEN) ws.send(JSON.stringify(frame));
	};
	const flush = (): void => {
		while (!noFollow && linesSent < job.logs.length) {
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
	const ping = setInterval(() => send({ type: "ping" }), PING_MILLIS).unref();
	const unsubscribe = world.onJobChange(job.id, flush);
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
		characters += message.length;
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
