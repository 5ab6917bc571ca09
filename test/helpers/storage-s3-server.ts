import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type PrivateStore, privateStore, type Reply } from "./storage-http";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

export interface S3Credentials {
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
		if (!isSigned(request, url, credentials)) return failure(403, "SignatureDoesNotMatch");
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
function isSigned(request: IncomingMessage, url: URL, { key, secret, token }: S3Credentials): boolean {
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
