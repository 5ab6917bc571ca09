import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The checkout's root. */
export const repository = resolve(__dirname, "..");

/** What `npm install` would leave in a project: packages, which are this checkout's own or, among them, the checkout itself. */
export function linkPackages(project: string, ...names: readonly string[]): void {
	for (const name of names) {
		const path = join(project, "node_modules", name);
		mkdirSync(dirname(path), { recursive: true });
		symlinkSync(
			name === "pulumi-datachain" ? repository : join(repository, "node_modules", name),
			path,
			"dir",
		);
	}
}

/** The same for our command, which npm makes executable. */
export function linkCommand(project: string): void {
	const folder = join(project, "node_modules", ".bin");
	mkdirSync(folder, { recursive: true });
	const main = join(repository, "dist", "commands", "main.js");
	writeFileSync(
		join(folder, "pulumi-datachain"),
		`#!/bin/sh\nexec node "${main}" "$@"\n`,
		{ mode: 0o755 },
	);
}
