import { vi } from "vitest";

/** What this process prints meanwhile, in place of printing it. */
export async function printedBy(work: () => unknown) {
	const printed = { stdout: "", stderr: "" };
	const spies = (["stdout", "stderr"] as const).map((name) =>
		vi.spyOn(process[name], "write").mockImplementation((text) => {
			printed[name] += String(text);
			return true;
		}),
	);
	try {
		await work();
	} finally {
		for (const spy of spies) spy.mockRestore();
	}
	return printed;
}
