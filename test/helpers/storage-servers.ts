import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type RawServer, type RecordedRequest, startRawServer } from "./api-servers";

/** A private store on a free loopback port, holding one object. It answers only who signs in. */
export type PrivateStore = Pick<RawServer, "url" | "close">;

interface Reply {
	readonly status: number;
	readonly body?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

const privateStore = (answer: (request: RecordedRequest) => Reply): Promise<PrivateStore> =>
	startRawServer(({ request, response }) => send(request, response, answer(request)));

function send({ method, headers }: RecordedRequest, response: ServerResponse, reply: Reply): void {
	const whole = Buffer.from(reply.body ?? "");
	const asked = reply.status === 200 ? range(headers.range, whole.length) : undefined;
	const body = asked ? whole.subarray(asked.from, asked.to + 1) : whole;
	response.writeHead(asked ? 206 : reply.status, {
		"content-length": String(body.length),
		...(asked && { "content-range": `bytes ${asked.from}-${asked.to}/${whole.length}` }),
		...reply.headers,
	});
	response.end(method === "HEAD" ? undefined : body);
}

function range(header = "", length: number): { from: number; to: number } | undefined {
	const match = /^bytes=(\d+)-(\d*)$/.exec(header);
	if (match === null || length === 0) return undefined;
	return { from: Number(match[1]), to: Math.min(match[2] ? Number(match[2]) : length - 1, length - 1) };
}

/** An S3-compatible store with one bucket and one object, which answers requests of this key; that the filesystems get the secret as it is, storage-python shows. */
export const s3Store = (
	key: string,
	bucket: string,
	object: { readonly key: string; readonly body: string },
): Promise<PrivateStore> =>
	privateStore(({ path, query, headers }) => {
		if (!headers.authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${key}/`))
			return failure(403, "InvalidAccessKeyId");
		const [, name = "", ...rest] = decodeURIComponent(path).split("/");
		if (name !== bucket) return failure(404, "NoSuchBucket");
		const asked = rest.join("/");
		if (asked === "") return listing(new Map(query), bucket, object);
		if (asked !== object.key) return failure(404, "NoSuchKey");
		const shown = { etag: '"1"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" };
		return { status: 200, body: object.body, headers: shown };
	});

const failure = (status: number, code: string): Reply => ({
	status,
	body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
	headers: { "content-type": "application/xml" },
});

function listing(
	query: ReadonlyMap<string, string>,
	bucket: string,
	{ key, body }: { key: string; body: string },
): Reply {
	const versions = query.has("versions");
	const [root, item] = versions ? ["ListVersionsResult", "Version"] : ["ListBucketResult", "Contents"];
	const shown = key.startsWith(query.get("prefix") ?? "");
	const entry =
		`<${item}><Key>${key}</Key><Size>${body.length}</Size><ETag>"1"</ETag><IsLatest>true</IsLatest>` +
		`<VersionId>null</VersionId><LastModified>2026-01-01T00:00:00.000Z</LastModified></${item}>`;
	return {
		status: 200,
		body:
			`<?xml version="1.0"?><${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${bucket}</Name>` +
			`<IsTruncated>false</IsTruncated><KeyCount>${shown ? 1 : 0}</KeyCount>${shown ? entry : ""}</${root}>`,
		headers: { "content-type": "application/xml" },
	};
}

const json = (status: number, value: unknown): Reply => ({
	status,
	body: JSON.stringify(value),
	headers: { "content-type": "application/json" },
});

export interface GsStore extends PrivateStore {
	/** A service account's key file, with the store itself as the place to trade a signed request for a token. */
	readonly serviceAccount: Readonly<Record<string, string>>;
}

/** An emulated store with one bucket and one object, which gives access tokens to the service account only. */
export async function gsStore(
	bucket: string,
	object: { readonly name: string; readonly body: string },
): Promise<GsStore> {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const email = "reader@images.example.com";
	const accessToken = randomBytes(12).toString("hex");
	const metadata = {
		kind: "storage#object",
		name: object.name,
		bucket,
		size: String(object.body.length),
		generation: "1",
		etag: "1",
		updated: "2026-01-01T00:00:00.000Z",
		timeCreated: "2026-01-01T00:00:00.000Z",
	};
	const store = await privateStore(({ path: asked, query, headers, body }) => {
		if (asked === "/token") {
			const [, claims = ""] = (new URLSearchParams(body).get("assertion") ?? "").split(".");
			const valid = JSON.parse(Buffer.from(claims, "base64url").toString("utf8")).iss === email;
			const token = { access_token: accessToken, token_type: "Bearer", expires_in: 3600 };
			return valid ? json(200, token) : json(400, { error: "invalid_grant" });
		}
		if (headers.authorization !== `Bearer ${accessToken}`) {
			return json(401, { error: { code: 401, message: "Anonymous caller" } });
		}
		const objects = `/storage/v1/b/${bucket}/o`;
		if (asked === objects) return json(200, { kind: "storage#objects", items: [metadata] });
		const path = decodeURIComponent(asked);
		if (path === `/download${objects}/${object.name}`) return { status: 200, body: object.body };
		if (path !== `${objects}/${object.name}`)
			return json(404, { error: { code: 404, message: "Not Found" } });
		return new Map(query).get("alt") === "media" ? { status: 200, body: object.body } : json(200, metadata);
	});
	const serviceAccount = {
		type: "service_account",
		project_id: "images",
		private_key_id: "1",
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		client_email: email,
		client_id: "1",
		token_uri: `${store.url}/token`,
	};
	return { ...store, serviceAccount };
}
