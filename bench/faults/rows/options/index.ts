import { type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import { all, none, type Row } from "../../row";
import { Ledger } from "./ledger";
import { prepare } from "./prepare";
import type { Scenario } from "./scenario";
import { deployAccepted, deployRefused } from "./stages";

/** Two stacks with a server each: the refused changes take many short deployments, the others a few long ones. */
const LANES = [
	{ takes: ({ stage }: Scenario) => stage !== "refused", deploy: deployAccepted },
	{ takes: ({ stage }: Scenario) => stage === "refused", deploy: deployRefused },
];

/** What a program can say to the engine about replacing and deleting, on the real engine: nothing else is deleted. */
export const options: Row = {
	number: 8,
	name: "options",
	async run(context) {
		const ledger = new Ledger();
		const lanes = await Promise.all(
			LANES.map(({ takes, deploy }) =>
				withDeployment(async (test) => {
					const scenarios = await prepare(test, takes);
					await deploy(test, scenarios, ledger, context.progress);
					return scenarios.length;
				}),
			),
		);
		const count = lanes.reduce((sum, scenarios) => sum + scenarios, 0);
		const { asked, notDone, left, missing } = ledger;
		return {
			load: `${count} scenarios, half of them with adoption, in ${ledger.steps} deployments`,
			figures: [
				none("deleted unasked", ledger.unasked),
				all("deleted as asked", asked - notDone.length, asked, notDone),
				all("left in place, once", left - missing.length, left, missing),
				none("commands that did not end as they should", ledger.failed),
			],
		};
	},
};

async function withDeployment<T>(work: (test: TestDeployment) => Promise<T>): Promise<T> {
	const test = await testDeployment();
	try {
		return await work(test);
	} finally {
		await test.dispose();
	}
}
