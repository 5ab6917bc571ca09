import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/server";
import { repository } from "../../tools/repository";
import { runCli } from "../helpers/cli";
import { pythonClient, runClient } from "../helpers/python-environment";
import { testServer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";
import { PAUSED } from "../helpers/verify-run";

const isSkipped = pythonClient.isMissingFor(
	"what the service's own Python client sees before and after verify",
);

/** What a colleague would look at. */
const LOOKS = [
	["job", "clusters"],
	["job", "ls", "--limit", "100", "--extended"],
	["pipeline", "list", "--limit", "100"],
	["pipeline", "status", PAUSED],
	["pipeline", "status", "nightly-images"],
];

describe.skipIf(isSkipped)(
	"the service's own Python client",
	{ timeout: 240_000 },
	() => {
		it("sees the same team before and after a run that writes", async () => {
			const python = await pythonClient.python();
			const server = await testServer({ clock: systemClock() });
			const colleague = server.team(server.teamName);
			colleague.setVariable(PAUSED, "THEIRS", "kept");
			const folder = testFolder("verify-python-");
			const config = join(folder, "config");
			mkdirSync(config);
			writeFileSync(
				join(config, "config"),
				`[studio]\ntoken = "${server.token}"\nurl = "${server.url}"\n`,
			);
			const env = {
				...{
					PATH: process.env.PATH,
					HOME: folder,
					DATACHAIN_GLOBAL_CONFIG_DIR: config,
				},
				...{
					DATACHAIN_SYSTEM_CONFIG_DIR: join(folder, "system"),
					DATACHAIN_NO_ANALYTICS: "1",
				},
				...server.environment,
			};
			const look = async () => {
				const seen: string[] = [];
				for (const args of LOOKS) {
					const { code, stdout, stderr } = await runClient(python, args, {
						cwd: folder,
						env,
					});
					expect(code, `datachain ${args.join(" ")}\n${stderr}`).toBe(0);
					seen.push(stdout);
				}
				return seen;
			};
			const before = await look();
			expect(before.join("\n")).toContain(PAUSED);
			const place = {
				folder: repository,
				env: { ...process.env, ...server.environment },
			};
			const { code, stdout } = await runCli(place, [
				"verify",
				"--pipeline",
				PAUSED,
				"--yes",
			]);
			expect(code, stdout).toBe(0);
			expect(stdout).toContain("holds    other-variables-kept");
			expect(await look()).toEqual(before);
		});
	},
);
