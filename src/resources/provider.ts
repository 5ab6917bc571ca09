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
	/** Base URL of the service, as given. */
	declare readonly baseUrl: pulumi.Output<string | undefined>;
	/** Access token; a secret. */
	declare readonly token: pulumi.Output<string | undefined>;
	/** Team of resources and lookups that name none, as given. */
	declare readonly teamName: pulumi.Output<string | undefined>;
	/** Request log, as given. */
	declare readonly log: pulumi.Output<string | undefined>;

	constructor(name: string, args: ProviderArgs = {}, opts?: pulumi.ResourceOptions) {
		if (isDefaultProviderName(name))
			throw new TypeError(
				`Provider "${name}": the engine names its own providers so, and their settings would not win over the environment. Give it another name.`,
			);
		const { baseUrl, token, teamName, maxConcurrentWrites, log, ...others } = args;
		super(
			PLUGIN_PACKAGE,
			name,
			{
				...others,
				// The SDK makes outputs of what it gets, also of what is not set.
				baseUrl,
				token: token === undefined ? undefined : pulumi.secret(token),
				teamName,
				log,
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

const ownVersion = (): string =>
	(require("../../package.json") as { version: string }).version;
