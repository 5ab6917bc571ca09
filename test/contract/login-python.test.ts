import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loginFolders } from "../../src/api/connection";
import { type LocalServer, startServer } from "../../src/server";
import { must } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { clientOfTest } from "../helpers/api-connect";
import { pythonClient, runClient } from "../helpers/python-environment";

const isSkipped = pythonClient.isMissingFor("what the service's own Python client leaves at a login");

/** What `datachain auth login` calls once the browser has said yes. */
const SAVE_LOGIN =
	"import sys; from datachain.studio import save_config; save_config(sys.argv[1], sys.argv[2])";
const FOLDERS =
	"from datachain.config import Config, ConfigLevel as L; print(*map(Config.get_dir, L), sep='\\n')";

// Each command starts a Python that takes a second of its own, and many more on a busy machine.
describe.skipIf(isSkipped)("where the service's own client is logged in", { timeout: 240_000 }, () => {
	let server: LocalServer;
	const { path: folder } = tempFolder("login-python-");
	let python: string;
	let env: NodeJS.ProcessEnv;

	beforeAll(async () => {
		python = await pythonClient.python();
		server = await startServer({ teamName: 'R&D "images" ü' });
		env = { PATH: process.env.PATH, HOME: folder, DATACHAIN_NO_ANALYTICS: "1" };
	}, 600_000);
	afterAll(() => server?.close());

	const run = (script: string, ...args: string[]) =>
		must(python, ["-c", script, ...args], { cwd: folder, env });

	it("the folders are the ones it reads", async () => {
		for (const more of [{}, { XDG_CONFIG_HOME: join(folder, "x"), DATACHAIN_ROOT_DIR: join(folder, "r") }]) {
			env = { ...env, ...more };
			const theirs = (await run(FOLDERS)).trim().split("\n");
			expect(loginFolders(env, process.platform, folder)).toEqual(theirs);
		}
	});

	it("nothing more is needed to reach the team", async () => {
		await run(SAVE_LOGIN, server.url, server.token);
		const team = await runClient(python, ["auth", "team", server.teamName], { cwd: folder, env });
		expect(team).toMatchObject({ code: 0 });
		const client = clientOfTest(env);
		expect((await client.schedules.list()).length).toBeGreaterThan(0);
		expect(client.teamName).toBe(server.teamName);
	});
});
