import { request } from "undici";
import type { ConnectionSettings } from "../../../../src/api";
import type { Contender, Known } from "./contender";
import type { Declared } from "./plan";

const MOST_TRIES = 3;

type At = ConnectionSettings & { readonly attemptMillis: number };

/** What a client does when a request failed: repeat it, or give up with the error. */
type Send = (at: At, path: string, body: object) => Promise<Reply>;
type Reply = Readonly<Record<string, unknown>>;

async function once(at: At, method: "GET" | "POST", path: string, fields: object): Promise<unknown> {
	const url = new URL(`${at.baseUrl.replace(/\/api$/, "")}/api/datachain/pipeline/${path}`);
	const all = { team_name: at.teamName, ...fields };
	if (method === "GET") url.search = new URLSearchParams(all).toString();
	const reply = await request(url, {
		method,
		headers: { authorization: `Bearer ${at.token}`, "content-type": "application/json" },
		body: method === "POST" ? JSON.stringify(all) : null,
		headersTimeout: at.attemptMillis,
		bodyTimeout: at.attemptMillis,
		signal: AbortSignal.timeout(20_000),
	});
	const text = await reply.body.text();
	if (reply.statusCode === 404 && path === "delete-schedule") return { ok: true };
	if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode}`);
	return JSON.parse(text);
}

const post: Send = async (at, path, body) => (await once(at, "POST", path, body)) as Reply;

const repeat: Send = async (at, path, body) => {
	for (let tries = 1; ; tries += 1) {
		try {
			return await post(at, path, body);
		} catch (error) {
			if (tries >= MOST_TRIES) throw error;
		}
	}
};

/** Before a create is repeated, one look whether it is there by now. */
const lookAndRepeat: Send = async (at, path, body) => {
	if (path !== "create-schedule" || !("schedule_name" in body)) return repeat(at, path, body);
	for (let tries = 1; ; tries += 1) {
		try {
			return await post(at, path, body);
		} catch (error) {
			if (tries >= MOST_TRIES) throw error;
			const all = (await once(at, "GET", "schedules", {}).catch(() => [])) as Reply[];
			const found = all.find((item) => item.schedule_name === body.schedule_name);
			if (found !== undefined) return { schedule: found };
		}
	}
};

/** The same deployments by a provider as one is quickly written: the ids it got, and requests sent in the given way. */
const naive = (name: string, send: Send): Contender => ({
	name,
	async up({ writing, attemptMillis }, known, declared) {
		const at = { ...writing, attemptMillis };
		try {
			if (declared === undefined) {
				if (known !== undefined) await send(at, "delete-schedule", { schedule_id: Number(known.id) });
				return { known: undefined };
			}
			if (known === undefined) return { known: await create(send, at, declared) };
			if (known.inputs.pipelineName === declared.pipelineName) {
				await send(at, "update-schedule", { schedule_id: Number(known.id), ...fieldsOf(declared) });
				return { known: { ...known, inputs: { ...declared } } };
			}
			await send(at, "delete-schedule", { schedule_id: Number(known.id) });
		} catch (error) {
			return { known, error };
		}
		return create(send, at, declared).then(
			(made) => ({ known: made }),
			(error: unknown) => ({ known: undefined, error }),
		);
	},
});

async function create(send: Send, at: At, declared: Declared): Promise<Known> {
	const body = { ...fieldsOf(declared), pipeline_name: declared.pipelineName };
	const { schedule } = await send(at, "create-schedule", body);
	return { id: String((schedule as Reply).id), inputs: { ...declared }, outs: {} };
}

const fieldsOf = ({ scheduleName, cronExpression, startAfter }: Declared) => ({
	schedule_name: scheduleName,
	cron_expression: cronExpression,
	...(startAfter !== undefined && { start_after: startAfter }),
});

export const naiveClients: readonly Contender[] = [
	naive("no retry", post),
	naive("blind retry", repeat),
	naive("list, then retry", lookAndRepeat),
];
