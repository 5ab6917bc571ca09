import { type PrivateStore, privateStore } from "./storage-http";

/** A hub that tells who the bearer of the token is, and nobody else anything. */
export function hfHub(token: string, user: string): Promise<PrivateStore> {
	return privateStore((request, url) => {
		const headers = { "content-type": "application/json" };
		if (request.headers.authorization !== `Bearer ${token}`) {
			return { status: 401, body: '{"error":"Invalid credentials"}', headers };
		}
		if (url.pathname !== "/api/whoami-v2") return { status: 404, body: "{}", headers };
		return { status: 200, body: JSON.stringify({ type: "user", name: user, orgs: [] }), headers };
	});
}
