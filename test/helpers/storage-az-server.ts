import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type PrivateStore, privateStore } from "./storage-http";

const SIGNED_HEADERS = [
	"content-encoding",
	"content-language",
	"content-length",
	"content-md5",
	"content-type",
	"date",
	"if-modified-since",
	"if-match",
	"if-none-match",
	"if-unmodified-since",
	"range",
];

export interface AzStore extends PrivateStore {
	readonly connectionString: string;
}

/** An emulated blob store with one container and one blob, which verifies every request's shared key signature. */
export async function azStore(
	account: { readonly name: string; readonly key: string },
	container: string,
	blob: { readonly name: string; readonly body: string },
): Promise<AzStore> {
	const store = await privateStore((request, url) => {
		const headers = { "x-ms-version": "2024-11-04" };
		if (!isSigned(request, url, account)) {
			return { status: 403, headers: { ...headers, "x-ms-error-code": "AuthenticationFailed" } };
		}
		const path = decodeURIComponent(url.pathname);
		const lastModified = "Thu, 01 Jan 2026 00:00:00 GMT";
		if (path === `/${account.name}/${container}/${blob.name}`) {
			const properties = { etag: '"1"', "last-modified": lastModified, "x-ms-blob-type": "BlockBlob" };
			return { status: 200, body: blob.body, headers: { ...headers, ...properties } };
		}
		if (path === `/${account.name}/${container}`) {
			return { status: 200, headers: { ...headers, etag: '"1"', "last-modified": lastModified } };
		}
		return { status: 404, headers: { ...headers, "x-ms-error-code": "BlobNotFound" } };
	});
	const connectionString =
		`DefaultEndpointsProtocol=http;AccountName=${account.name};AccountKey=${account.key};` +
		`BlobEndpoint=${store.url}/${account.name};`;
	return { ...store, connectionString };
}

function isSigned(request: IncomingMessage, url: URL, { name, key }: { name: string; key: string }): boolean {
	const header = (field: string): string => String(request.headers[field] ?? "");
	const standard = SIGNED_HEADERS.map((field) =>
		field === "content-length" && header(field) === "0" ? "" : header(field),
	);
	const own = Object.keys(request.headers)
		.filter((field) => field.startsWith("x-ms-"))
		.sort()
		.map((field) => `${field}:${header(field)}`);
	const query = [...url.searchParams].map(([field, value]) => `${field.toLowerCase()}:${value}`).sort();
	const resource = [`/${name}${url.pathname}`, ...query].join("\n");
	const text = [request.method, ...standard, ...own, resource].join("\n");
	const signature = createHmac("sha256", Buffer.from(key, "base64")).update(text).digest("base64");
	return request.headers.authorization === `SharedKey ${name}:${signature}`;
}
