import {
	createHash,
	createHmac,
	createPublicKey,
	generateKeyPairSync,
	randomBytes,
	verify,
} from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onLoopback } from "./api-servers";

/** A private store on a free loopback port, holding one object. It answers only who signs in correctly. */
export interface PrivateStore {
	readonly url: string;
	close(): Promise<void>;
}

interface Reply {
	readonly status: number;
	readonly body?: string | Buffer;
	readonly headers?: Readonly<Record<string, string>>;
}

type Answer = (request: IncomingMessage, url: URL, body: string) => Reply;

function privateStore(answer: Answer): Promise<PrivateStore> {
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on("data", (chunk: Buffer) => chunks.push(chunk));
		request.on("end", () => {
			const url = new URL(request.url ?? "/", "http://store");
			send(request, response, answer(request, url, Buffer.concat(chunks).toString("utf8")));
		});
	});
	return onLoopback(server);
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
	const whole = Buffer.from(reply.body ?? "");
	const asked = reply.status === 200 ? range(request, whole.length) : undefined;
	const body = asked ? whole.subarray(asked.from, asked.to + 1) : whole;
	response.writeHead(asked ? 206 : reply.status, {
		"content-length": String(body.length),
		...(asked && { "content-range": `bytes ${asked.from}-${asked.to}/${whole.length}` }),
		...reply.headers,
	});
	response.end(request.method === "HEAD" ? undefined : body);
}

function range(request: IncomingMessage, length: number): { from: number; to: number } | undefined {
	const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
	if (match === null || length === 0) return undefined;
	return { from: Number(match[1]), to: Math.min(match[2] ? Number(match[2]) : length - 1, length - 1) };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

interface S3Credentials {
	readonly key: string;
	readonly secret: string;
	readonly token?: string;
}

/** An S3-compatible store with one bucket and one object, which verifies every request's version 4 signature. */
export function s3Store(
	credentials: S3Credentials,
	bucket: string,
	object: { readonly key: string; readonly body: string },
): Promise<PrivateStore> {
	return privateStore((request, url) => {
		if (!isSignedForS3(request, url, credentials)) return failure(403, "SignatureDoesNotMatch");
		const [, name = "", ...rest] = decodeURIComponent(url.pathname).split("/");
		if (name !== bucket) return failure(404, "NoSuchBucket");
		const key = rest.join("/");
		if (key === "") return listing(url, bucket, object);
		if (key !== object.key) return failure(404, "NoSuchKey");
		const headers = { etag: '"1"', "last-modified": "Thu, 01 Jan 2026 00:00:00 GMT" };
		return { status: 200, body: object.body, headers };
	});
}

const failure = (status: number, code: string): Reply => ({
	status,
	body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`,
	headers: { "content-type": "application/xml" },
});

function listing(url: URL, bucket: string, { key, body }: { key: string; body: string }): Reply {
	const versions = url.searchParams.has("versions");
	const [root, item] = versions ? ["ListVersionsResult", "Version"] : ["ListBucketResult", "Contents"];
	const shown = key.startsWith(url.searchParams.get("prefix") ?? "");
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

/** AWS Signature Version 4, as S3 wants it: the path is taken as it was sent. */
function isSignedForS3(request: IncomingMessage, url: URL, { key, secret, token }: S3Credentials): boolean {
	const match =
		/^AWS4-HMAC-SHA256 Credential=([^,]+), *SignedHeaders=([^,]+), *Signature=([0-9a-f]{64})$/.exec(
			request.headers.authorization ?? "",
		);
	if (match === null || request.headers["x-amz-security-token"] !== token) return false;
	const [, credential = "", names = "", signature = ""] = match;
	const [id, date = "", region = "", service = ""] = credential.split("/");
	const query = url.search
		.slice(1)
		.split("&")
		.filter(Boolean)
		.map((part) => (part.includes("=") ? part : `${part}=`));
	const headers = names.split(";").map((name) => `${name}:${String(request.headers[name] ?? "").trim()}\n`);
	const payload = String(request.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD");
	const canonical = [
		request.method,
		url.pathname,
		query.sort().join("&"),
		headers.join(""),
		names,
		payload,
	].join("\n");
	const scope = [date, region, service, "aws4_request"].join("/");
	const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)].join("\n");
	const signing = [date, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
	return id === key && hmac(signing, toSign).toString("hex") === signature;
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

/** An emulated store with one bucket and one object, which gives access tokens to the service account's key only. */
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
	const signed = (assertion: string): boolean => {
		const [head = "", claims = "", signature = ""] = assertion.split(".");
		const issuer = JSON.parse(Buffer.from(claims, "base64url").toString("utf8")).iss;
		const bytes = Buffer.from(signature, "base64url");
		return (
			issuer === email &&
			verify("sha256", Buffer.from(`${head}.${claims}`), createPublicKey(privateKey), bytes)
		);
	};
	const store = await privateStore((request, url, body) => {
		if (url.pathname === "/token") {
			const valid = signed(new URLSearchParams(body).get("assertion") ?? "");
			const token = { access_token: accessToken, token_type: "Bearer", expires_in: 3600 };
			return valid ? json(200, token) : json(400, { error: "invalid_grant" });
		}
		if (request.headers.authorization !== `Bearer ${accessToken}`) {
			return json(401, { error: { code: 401, message: "Anonymous caller" } });
		}
		const objects = `/storage/v1/b/${bucket}/o`;
		if (url.pathname === objects) return json(200, { kind: "storage#objects", items: [metadata] });
		const path = decodeURIComponent(url.pathname);
		if (path === `/download${objects}/${object.name}`) return { status: 200, body: object.body };
		if (path !== `${objects}/${object.name}`)
			return json(404, { error: { code: 404, message: "Not Found" } });
		return url.searchParams.get("alt") === "media" ? { status: 200, body: object.body } : json(200, metadata);
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
