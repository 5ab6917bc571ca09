import { createPublicKey, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { type PrivateStore, privateStore, type Reply } from "./storage-http";

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
