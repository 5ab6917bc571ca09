import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { engineCancel } from "../../../src/provider/host/engine-cancel";

it("the engine's cancel is overheard at the process's own server, and no other call is taken for it", async () => {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	server.on("stream", (stream) => {
		stream.respond({ ":status": 200 });
		stream.end();
	});
	const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	onTestFinished(() => {
		client.close();
		server.close();
	});
	const signal = engineCancel();
	expect(engineCancel()).toBe(signal);
	const call = async (method: string) => {
		const stream = client.request({ ":method": "POST", ":path": `/pulumirpc.ResourceProvider/${method}` });
		await once(stream.resume().end(), "end");
	};
	await call("Check");
	expect(signal.aborted).toBe(false);
	await call("Cancel");
	expect(signal.aborted).toBe(true);
});
