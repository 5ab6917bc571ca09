import { invalid, notFound } from "./inputs";
import type { DatasetRecord, TeamState } from "./state";

const KEPT_VERSIONS = 100;

/**
 * Finds `namespace.project.name[@version]`. A user's namespace starts with @, so the version is behind the
 * last @ that is not the first character. A short name is looked up among all datasets of the team.
 */
export function findDataset(team: TeamState, reference: string): { dataset: DatasetRecord; version: string } {
	const at = reference.lastIndexOf("@");
	const name = at > 0 ? reference.slice(0, at) : reference;
	const wanted = at > 0 ? reference.slice(at + 1).replace(/^v/, "") : undefined;
	const dataset = byName(team, name);
	const version = wanted ?? dataset.versions.at(-1)?.version;
	if (version === undefined) throw notFound(`Dataset "${dataset.fullName}" has no version yet.`);
	if (!dataset.versions.some((known) => known.version === version)) {
		const known = dataset.versions.map((one) => one.version).join(", ");
		throw notFound(
			`Dataset "${dataset.fullName}" has no version "${version.slice(0, 60)}". It has: ${known}.`,
		);
	}
	return { dataset, version };
}

function byName(team: TeamState, name: string): DatasetRecord {
	if (name.trim() === "") throw invalid("datasets: an entry has no dataset name.");
	const exact = team.datasets.find((dataset) => dataset.fullName === name);
	if (exact !== undefined) return exact;
	const found = team.datasets.filter((dataset) => dataset.fullName.endsWith(`.${name}`));
	if (found[0] === undefined) throw notFound(`Team "${team.name}" has no dataset "${name.slice(0, 200)}".`);
	if (found.length > 1) {
		const names = found.map((dataset) => dataset.fullName).join(", ");
		throw invalid(`datasets: "${name}" could be any of ${names}. Write namespace.project.name.`);
	}
	return found[0];
}

/** The datasets and all they are made from, each once, dependencies first. */
export function dependencyClosure(team: TeamState, wanted: readonly DatasetRecord[]): DatasetRecord[] {
	const ordered: DatasetRecord[] = [];
	const entered = new Set<DatasetRecord>();
	const visit = (dataset: DatasetRecord): void => {
		if (entered.has(dataset)) return;
		entered.add(dataset);
		for (const name of dataset.madeFrom) {
			const source = team.datasets.find((other) => other.fullName === name);
			if (source !== undefined) visit(source);
		}
		ordered.push(dataset);
	};
	for (const dataset of wanted) visit(dataset);
	return ordered;
}

/** A job that rebuilt a dataset leaves a new version of it. */
export function addVersion(team: TeamState, fullName: string, jobId: string): string | undefined {
	const dataset = team.datasets.find((one) => one.fullName === fullName);
	if (dataset === undefined) return undefined;
	const [major = "1", minor = "0", patch = "-1"] = (dataset.versions.at(-1)?.version ?? "1.0.-1").split(".");
	const version = `${major}.${minor}.${Number(patch) + 1}`;
	dataset.versions.push({ version, jobId });
	if (dataset.versions.length > KEPT_VERSIONS) dataset.versions.shift();
	return version;
}
