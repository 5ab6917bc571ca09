import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { version } from "../../package.json";
import { testDeployment } from "../../test/helpers/e2e-deployment";
import { DECLARED, PASSPHRASE } from "../../test/helpers/state-fixture";
import { exitWith } from "../process/exit-with";

/** Writes the state that this version makes, to be kept for ever: `npm run state-fixture`, once per release. */
async function main(): Promise<void> {
	const folder = resolve(__dirname, "../../test/fixtures/states", version);
	const test = await testDeployment({ env: { PULUMI_CONFIG_PASSPHRASE: PASSPHRASE } });
	try {
		test.declare(...DECLARED);
		await test.up();
		mkdirSync(folder, { recursive: true });
		const state = JSON.stringify(await test.stack.export(), withoutPositions, 2);
		writeFileSync(join(folder, "state.json"), `${state}\n`);
		writeFileSync(
			join(folder, "declared.json"),
			`${JSON.stringify(DECLARED, undefined, 2)}\n`,
		);
		console.log(`Wrote the state of version ${version}.`);
	} finally {
		await test.dispose();
	}
}

/** The engine notes where in the program a resource was declared; that is about this machine, not about the state. */
const withoutPositions = (key: string, value: unknown): unknown =>
	key === "sourcePosition" || key === "stackTrace" ? undefined : value;

exitWith(main());
