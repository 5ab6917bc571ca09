import type { TestDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Result } from "../../../../tools/stack";
import type { Victim } from "./strike";

type Command = readonly [name: string, run: () => Promise<Result>];

/** The README's commands and nothing else; the answer says which of them failed, if one did. */
export async function recover(
	{ stack }: TestDeployment,
	victim: Victim,
	options: { preview: boolean },
): Promise<string | undefined> {
	const up: Command = ["pulumi up", () => stack.up(options.preview ? [] : ["--skip-preview"])];
	const cancel: Command = ["pulumi cancel", () => stack.run(["cancel", "--yes", "--stack", stack.name])];
	const refresh: Command = [
		"pulumi refresh --clear-pending-creates",
		() => stack.refresh(["--skip-preview", "--clear-pending-creates"]),
	];
	// Where only the provider died, the CLI has saved the state and let go of the stack by itself.
	const steps = victim === "provider" ? [up] : [cancel, up, refresh];
	for (const [what, run] of steps) {
		const { code, stdout, stderr } = await run();
		if (code !== 0) return `${what} failed (${code}): ${tail(`${stdout}\n${stderr}`)}`;
	}
	return undefined;
}

const tail = (text: string): string => text.trim().split("\n").slice(-12).join("\n");
