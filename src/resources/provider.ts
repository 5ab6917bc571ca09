import * as pulumi from "@pulumi/pulumi";
import { isDefaultProviderName, PLUGIN_PACKAGE } from "../schemas/kinds";

export interface ProviderArgs {
	/** Base URL of the service, with or without `/api`. Wins over `DATACHAIN_STUDIO_URL`. */
	baseUrl?: pulumi.Input<string>;
	/** Access token; always stored as a secret. Wins over `DATACHAIN_STUDIO_TOKEN`. */
	token?: pulumi.Input<string>;
	/** Team of resources and lookups that name none. Wins over `DATACHAIN_STUDIO_TEAM`. */
	teamName?: pulumi.Input<string>;
	/** How many writes may be under way at once, 1 to 256. Default 16. */
	maxConcurrentWrites?: pulumi.Input<number>;
	/** What is logged: `debug` for a line each request, `debug:FILE` for a file, or `off` (default). */
	log?: pulumi.Input<string>;
}

/**
 * A connection of its own, served by the plugin `pulumi-resource-datachain`: for programs that work with several
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
			opts,
		);
	}
}
