import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { engineLog, Lifetime } from "./engine";
import { MESSAGE_LIMITS } from "./properties";
import { providerService } from "./service";

const HELP = `The Pulumi plugin for DataChain Studio. Pulumi starts it; you do not need to run it yourself.

Usage: pulumi-resource-datachain [options] [address of the engine]

  --help     shows this text
  --version  shows the version

As a single executable it is the command line as well: pulumi-resource-datachain doctor, drift, forecast, export ...

To debug it, start it without an address and give the port that it prints to Pulumi:
PULUMI_DEBUG_PROVIDERS=datachain:PORT pulumi up
`;

/** An engine that hangs is not waited for any longer. */
const LAST_ANSWER_MILLIS = 5_000;

/** The schema has the package's version. */
const version = (): string => (require("./schema.json") as { version: string }).version;

/** `pulumi-resource-datachain <engine>`: serves the provider, and prints the port, as the engine expects. */
function main(args: readonly string[]): void {
	if (args.includes("--help") || args.includes("-h")) {
		process.stdout.write(HELP);
		return;
	}
	if (args.includes("--version")) {
		process.stdout.write(`${version()}\n`);
		return;
	}
	// Flags for the engine's own log may stand before the address.
	const address = args.filter((argument) => !argument.startsWith("-")).at(-1);
	// The provider finds the engine's address where the dynamic host's process has it, too.
	if (address !== undefined) process.argv[2] = address;
	const server = new grpc.Server(MESSAGE_LIMITS);
	// Not before the last answer has left the process, however busy the machine is.
	const lifetime = new Lifetime(() => {
		server.tryShutdown(() => process.exit(0));
		setTimeout(() => process.exit(0), LAST_ANSWER_MILLIS).unref();
	});
	server.addService(
		ResourceProviderService,
		providerService(lifetime, engineLog(address), version),
	);
	server.bindAsync(
		"127.0.0.1:0",
		grpc.ServerCredentials.createInsecure(),
		(error, port) => {
			if (error) {
				console.error(`The datachain provider could not open a port: ${error.message}`);
				process.exit(1);
			}
			process.stdout.write(`${port}\n`);
		},
	);
}

main(process.argv.slice(2));
