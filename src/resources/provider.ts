import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName, PLUGIN_PACKAGE, PLUGIN_SERVER } from "../schemas/kinds";

export interface ProviderArgs {
	/** Base URL of the service, with or without `/api`. Overrides `DATACHAIN_STUDIO_URL`. */
	baseUrl?: pulumi.Input<string>;
	/** Access token; always stored as a secret. Overrides `DATACHAIN_STUDIO_TOKEN`. */
	token?: pulumi.Input<string>;
	/** Team of resources and lookups that name none. Overrides `DATACHAIN_STUDIO_TEAM`. */
	teamName?: pulumi.Input<string>;
	/** Maximum number of concurrent write requests, 1 to 256. Default: 16. */
	maxConcurrentWrites?: pulumi.Input<number>;
	/** Request log: `debug` for one line per request, `debug:FILE` for a file, or `off` (default). */
	log?: pulumi.Input<string>;
}

/**
 * An explicit provider, served by the plugin `pulumi-resource-datachain`: for programs that work with several
 * accounts, for `pulumi import`, and for previews that name each nested key that changes.
 *
 * ```ts
 * const other = new datachain.Provider("other", { teamName: "other", token: config.requireSecret("otherToken") });
 * new datachain.PipelineSchedule("nightly", { … }, { provider: other });
 * ```
 *
 * The project says where the plugin is: `plugins: { providers: [{ name: datachain, path: node_modules/pulumi-datachain/dist/plugin }] }`.
 */
export class Provider extends pulumi.ProviderResource {
	constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
		if (isDefaultProviderName(name))
			throw new TypeError(
				`Provider "${name}": the engine names its own providers so, and their settings would not win over the environment. Give it another name.`,
			);
		const { token, maxConcurrentWrites, ...rest } = args;
		super(
			PLUGIN_PACKAGE,
			name,
			{
				...rest,
				...(token !== undefined && { token: pulumi.secret(token) }),
				// A provider's arguments travel as texts.
				...(maxConcurrentWrites !== undefined && {
					maxConcurrentWrites: pulumi.output(maxConcurrentWrites).apply(String),
				}),
			},
			// Without a plugin on the machine, the engine downloads the one of this version.
			{ version: ownVersion(), pluginDownloadURL: PLUGIN_SERVER, ...opts },
		);
	}
}

const ownVersion = (): string => (require("../../package.json") as { version: string }).version;
