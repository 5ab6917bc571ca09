import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getSchedules } from "../../../src";
import { tempFolder } from "../../../tools/process/temp-folder";
import { json, type RawServer, startRawServer, TOKEN } from "../../helpers/api-raw-server";

let folder: ReturnType<typeof tempFolder>;
let server: RawServer;

beforeEach(async () => {
	folder = tempFolder("lookup-");
	server = await startRawServer(({ response }) =>
		json(response, 200, [{ id: 1, schedule_name: "fine" }, { schedule_name: "without an id" }]),
	);
});
afterEach(async () => {
	vi.restoreAllMocks();
	pulumi.runtime.setAllConfig({});
	await server.close();
	folder.remove();
});

const connection = () => ({ connection: { baseUrl: server.url, token: TOKEN, teamName: "ml" } });

test("a schedule that cannot be read is left out with a warning that names it", async () => {
	const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	expect((await getSchedules({}, connection())).map(({ id }) => id)).toEqual([1]);
	expect(warn).toHaveBeenCalledWith(expect.stringMatching(/left out .*without an id/));
});

test("datachain:log logs lookups, too", async () => {
	vi.spyOn(pulumi.log, "warn").mockResolvedValue();
	const file = join(folder.path, "requests.log");
	pulumi.runtime.setAllConfig({ "datachain:log": `debug:${file}` });
	await getSchedules({}, connection());
	expect(readFileSync(file, "utf8")).toMatch(/listSchedules GET .* status=200/);
});
