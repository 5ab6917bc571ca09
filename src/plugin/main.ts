import * as grpc from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { EngineLog } from "./engine-log";
import { Lifetime } from "./lifetime";
import { providerService } from "./service";

/** The engine's own limit; a state with many outputs is larger than gRPC's four megabytes. */
const MAX_BYTES = 400 * 1024 * 1024;

/** `pulumi-resource-datachain <engine>`: serves the provider, and prints the port, as the engine expects. */
function main(): void {
	const lifetime = new Lifetime(() => process.exit(0));
	const server = new grpc.Server({
		"grpc.max_receive_message_length": MAX_BYTES,
		"grpc.max_send_message_length": MAX_BYTES,
	});
	// Flags for the engine's own log may stand before the address.
	const addresses = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
	const log = new EngineLog(addresses.at(-1));
	server.addService(ResourceProviderService, providerService(lifetime, log));
	server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
		if (error) {
			console.error(`The datachain provider could not open a port: ${error.message}`);
			process.exit(1);
		}
		process.stdout.write(`${port}\n`);
	});
}

main();
