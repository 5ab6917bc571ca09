import { join } from "node:path";
import { type Child, forkChild } from "../child";
import type { Cost, Deployment, StepName } from "../model";
import { cronAfter, cronBefore, type DeploymentContext } from "./context";

const steps = ["up", "update", "refresh", "preview-refresh", "destroy"] as const;
export type RawStep = (typeof steps)[number];

export interface RawQuestion {
	readonly step: RawStep;
	readonly n: number;
	readonly cron: string;
	readonly server: { readonly url: string; readonly token: string; readonly team: string };
}

/** What the requests alone cost: the same schedules over one undici pool, without Pulumi. */
export function deployRaw({ n, environment }: DeploymentContext): Deployment {
	const child: Child<RawQuestion, Cost> = forkChild(join(__dirname, "..", "raw", "child.ts"));
	const server = {
		url: environment.DATACHAIN_STUDIO_URL ?? "",
		token: environment.DATACHAIN_STUDIO_TOKEN ?? "",
		team: environment.DATACHAIN_STUDIO_TEAM ?? "",
	};
	return {
		run: (step) =>
			isRawStep(step)
				? child.ask({ step, n, cron: step === "up" ? cronBefore : cronAfter, server })
				: undefined,
		dispose: child.end,
	};
}

function isRawStep(step: StepName): step is RawStep {
	return steps.some((known) => known === step);
}
