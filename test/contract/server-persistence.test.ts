import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startServer } from "../../src/server";
import { type Api, apiOf, testServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const dataFile = () => join(testFolder("server-data-"), "team.json");

const schedule = (name: string) => ({
	schedule_name: name,
	pipeline_name: "nightly-images",
	cron_expression: "0 3 * * *",
});
describe("a server with a data file", () => {
	it("comes back with everything it had", async () => {
		const file = dataFile();
		const options = { dataFile: file, token: "a-secret-token" };
		const first = await testServer(options);
		await first.api.post("/pipeline/create-schedule", schedule("kept"));
		await first.api.post("/pipeline/settings", {
			pipeline_name: "rusty-vise",
			environment: "__proto__=x\nA=1",
			workers: 9,
		});
		await first.api.post("/pipeline/pause", { name: "nightly-images" });
		const shown = async (api: Api) => {
			const paths = ["/pipeline/schedules", "/pipeline/list", "/jobs/?limit=1000", "/clusters/"];
			const replies = await Promise.all(paths.map((path) => api.get(path)));
			return replies.map(({ text }) => text.replaceAll(/http:\/\/[\d.:]+/g, ""));
		};
		const before = await shown(first.api);
		await first.close();
		const server = await testServer(options);
		expect(await shown(server.api)).toEqual(before);
		const next = await server.api.post("/pipeline/create-schedule", schedule("next"));
		expect(next.at("schedule.id")).toBe(3);
		expect(readFileSync(file, "utf8")).not.toContain("a-secret-token");
		expect(statSync(file).mode & 0o077).toBe(0);
	});

	it("refuses a file that is not its own, and leaves it as it is", async () => {
		const file = dataFile();
		for (const content of ["not json", '{"format": 2}', "[]"]) {
			writeFileSync(file, content);
			await expect(startServer({ dataFile: file })).rejects.toThrow(
				/was not written by this server, or is damaged/,
			);
			expect(readFileSync(file, "utf8")).toBe(content);
		}
		for (const format of [1, 3]) {
			writeFileSync(file, JSON.stringify({ format, nextFileId: 1, nextScheduleId: 1, teams: [] }));
			await expect(startServer({ dataFile: file })).rejects.toThrow(
				/was written by another version of pulumi-datachain/,
			);
		}
		writeFileSync(file, "");
		await (await startServer({ dataFile: file })).close();
		await expect(startServer({ dataFile: join(file, "..", "missing", "x") })).rejects.toThrow(
			/folder .* does not exist/,
		);
	});

	it("does not overwrite what another server has saved in it", async () => {
		const file = dataFile();
		const first = await startServer({ dataFile: file });
		const second = await testServer({ dataFile: file });
		expect((await second.api.post("/pipeline/create-schedule", schedule("second"))).status).toBe(200);
		expect((await apiOf(first).post("/pipeline/create-schedule", schedule("first"))).status).toBe(500);
		await expect(first.close()).rejects.toThrow(`"${file}" was changed by another program`);
		await second.close();
		expect(readFileSync(file, "utf8")).toContain('"second"');
	});

	it("acknowledges nothing that it cannot save, and goes on once it can", async () => {
		const file = dataFile();
		const log: string[] = [];
		const { api } = await testServer({ dataFile: file, log: (line) => log.push(line) });
		const folder = join(file, "..");
		renameSync(folder, `${folder}.away`);
		const lost = await api.post("/pipeline/create-schedule", schedule("unsaved"));
		expect(lost).toMatchObject({ status: 500, json: { message: expect.any(String) } });
		expect(log.join("\n")).toContain(`The data file "${file}" cannot be written (ENOENT). Make room for it`);
		renameSync(`${folder}.away`, folder);
		expect((await api.post("/pipeline/create-schedule", schedule("saved"))).status).toBe(200);
		expect(readFileSync(file, "utf8")).toContain('"saved"');
	});
});
