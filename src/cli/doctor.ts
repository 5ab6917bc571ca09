import { examine } from "../doctor/examine";
import { renderDoctor } from "../doctor/render";
import { ownManifest } from "./own-manifest";
import { askPulumi, connectionSources } from "./pulumi-cli";
import { endOnInterrupt, progress, tolerateClosedOutput, wantsColor } from "./terminal";

/** Options of `pulumi-datachain doctor`, as commander hands them over. */
export interface DoctorOptions {
	stack?: string;
	json?: boolean;
	probeWrite?: boolean;
}

/** Prints one line a check; the exit code is 1 where one failed. */
export async function doctor(options: DoctorOptions): Promise<void> {
	tolerateClosedOutput();
	const signal = endOnInterrupt((code) => code);
	const manifest = ownManifest();
	const report = await examine({
		cwd: process.cwd(),
		env: process.env,
		nodeVersion: process.versions.node,
		wants: {
			version: manifest.version,
			node: manifest.engines.node,
			sdk: manifest.peerDependencies["@pulumi/pulumi"],
		},
		pulumi: (args) => askPulumi(args, { signal }),
		sources: () => connectionSources({ stack: options.stack, signal }),
		probeWrite: options.probeWrite,
		onProgress: progress.show,
	});
	progress.clear();
	const text = options.json
		? `${JSON.stringify(report, undefined, 2)}\n`
		: renderDoctor(report, { color: wantsColor(process.stdout) });
	process.stdout.write(text);
	process.exitCode = report.ok ? 0 : 1;
}
