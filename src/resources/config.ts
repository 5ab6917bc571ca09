import * as pulumi from "@pulumi/pulumi";

const stackConfig = () => new pulumi.Config("datachain");

/** The stack's `datachain` config, as `pulumi config set datachain:teamName …` sets it. */
export const config = {
	/** Base URL of the service. `DATACHAIN_STUDIO_URL` overrides it. */
	get baseUrl(): string | undefined {
		return stackConfig().get("baseUrl");
	},
	/** Access token, as a secret. `DATACHAIN_STUDIO_TOKEN` overrides it. */
	get token(): pulumi.Output<string> | undefined {
		return stackConfig().getSecret("token");
	},
	/** Team of resources and lookups that name none. `DATACHAIN_STUDIO_TEAM` overrides it. */
	get teamName(): string | undefined {
		return stackConfig().get("teamName");
	},
	/** Maximum number of concurrent write requests. */
	get maxConcurrentWrites(): number | undefined {
		return stackConfig().getNumber("maxConcurrentWrites");
	},
	/** Request log: `debug`, `debug:FILE` or `off`. */
	get log(): string | undefined {
		return stackConfig().get("log");
	},
};
