import { spawn } from "node:child_process";
import { once } from "node:events";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clientFor } from "../helpers/api-servers";
import { testFolder } from "../helpers/test-folder";

const MIB = 2 ** 20;

/** Counts bytes in a process of its own, so that the memory of this one is the client's. */
const COUNTING_SERVER = `
require("node:http").createServer((request, response) => {
	let size = 0;
	request.on("data", (chunk) => { size += chunk.length; });
	request.on("end", () => {
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify({ id: "f1", size }));
	});
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
`;

test("a file of 512 MiB is uploaded with flat memory", async () => {
	const server = spawn(process.execPath, ["-e", COUNTING_SERVER], {
		stdio: ["ignore", "pipe", "inherit"],
	});
	onTestFinished(() => void server.kill());
	const [port] = await once(server.stdout, "data");
	const client = clientFor(`http://127.0.0.1:${Number(port)}`);
	const path = join(testFolder("client-upload-"), "zeros");
	await writeFile(path, "");
	// What any upload needs; the rest would be what grows with the file.
	await truncate(path, 64 * MIB);
	await client.jobs.uploadFile({ path });
	await truncate(path, 512 * MIB);
	const before = process.memoryUsage.rss();
	let most = before;
	const watch = setInterval(() => {
		most = Math.max(most, process.memoryUsage.rss());
	}, 20);
	const result = await client.jobs.uploadFile({ path });
	clearInterval(watch);
	// SHA-256 of as many zero bytes.
	const sha256 = "9acca8e8c22201155389f65abbf6bc9723edc7384ead80503839f49dcc56d767";
	expect(result).toMatchObject({ size: 512 * MIB, sha256 });
	const framing = (result.file.size ?? 0) - result.size;
	expect(framing).toBeGreaterThan(100);
	expect(framing).toBeLessThan(1000);
	expect((most - before) / MIB).toBeLessThan(64);
}, 240_000);
