import * as pulumi from "@pulumi/pulumi";

const TOKEN_KEY = "datachain:token";

let warned = false;

/** A token set without --secret lies in clear in the stack's settings file and in the state; say so once. */
export function warnOfClearToken(): void {
	if (warned) return;
	warned = true;
	if (new pulumi.Config("datachain").get("token") === undefined || isSecret()) return;
	pulumi.log.warn(
		`${TOKEN_KEY} is stored in clear. Run "pulumi config set --secret ${TOKEN_KEY}" with a new token, and revoke this one.`,
	);
}

/** The engine lists the secret keys for the program; where it does not, nothing can be said. */
function isSecret(): boolean {
	const keys = process.env.PULUMI_CONFIG_SECRET_KEYS;
	if (keys === undefined) return true;
	try {
		return (JSON.parse(keys) as unknown[]).includes(TOKEN_KEY);
	} catch {
		return true;
	}
}
