import { writeFileSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { repository } from "../../repository";
import { playScenes, type Scene } from "./scenes";
import { screenOf } from "./screen";
import { terminalSvg } from "./svg";

/** Writes up.svg, drift.svg and forecast.svg, and answers their paths. */
export async function shootTerminal(images: string): Promise<string[]> {
	const paths: string[] = [];
	for (const scene of await playScenes()) {
		const svg = terminalSvg(
			scene.command,
			await screenOf(`\u001b[2m$\u001b[0m \u001b[1m${scene.command}\u001b[0m\r\n${scene.output}`),
		);
		refuseTraces(scene, svg);
		const path = join(images, `${scene.name}.svg`);
		writeFileSync(path, svg);
		paths.push(path);
	}
	return paths;
}

/** A picture is published: nothing in it may tell of the machine that it was made on. */
function refuseTraces({ name }: Scene, svg: string): void {
	const traces = [repository, homedir(), hostname(), "dcl_", "/tmp/"];
	const found = traces.find((trace) => trace.length > 3 && svg.includes(trace));
	const { username } = userInfo();
	if (found === undefined && (username.length < 5 || !svg.includes(username))) return;
	throw new Error(`${name}.svg would show ${found ?? "a user's name"}. Change what its command prints.`);
}
