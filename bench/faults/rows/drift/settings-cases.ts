import type { Random } from "../../random";
import { type DriftCase, inSettingsCase as of, set } from "./case";

const environment = { MODE: "fast", KEY: "ours" };
const requirements = ["pillow", "torch==2.5"];
const repository = "https://example.com/ours.git@main";

/** Each setting that the service shows, in each way it can change. */
export function settingsChanges(random: Random): DriftCase[] {
	const other = random.integer(2, 1_000);
	return [
		of("pythonVersion", "another version", { pythonVersion: "3.12" }, set({ python_version: "3.11" })),
		of("pythonVersion", "cleared", { pythonVersion: "3.12" }, set({ python_version: "" })),
		of("pythonVersion", "set where none was meant", { pythonVersion: "" }, set({ python_version: "3.9" })),
		of("requirements", "another version", { requirements }, set({ requirements: "pillow\ntorch==2.6" })),
		of("requirements", "one less", { requirements }, set({ requirements: "pillow" })),
		of(
			"requirements",
			"one more",
			{ requirements },
			set({ requirements: `pillow\ntorch==2.5\nlib${other}` }),
		),
		of("requirements", "another order", { requirements }, set({ requirements: "torch==2.5\npillow" })),
		of("requirements", "cleared", { requirements: "pillow" }, set({ requirements: "" })),
		of("repository", "another revision", { repository }, set({ repository: `${repository}-${other}` })),
		of("repository", "cleared", { repository }, set({ repository: "" })),
		of("workers", "more", { workers: 1 }, set({ workers: other })),
		of("workers", "none", { workers: 1 }, set({ workers: 0 })),
		of("priority", "sooner", { priority: 3 }, set({ priority: 0 })),
		of("priority", "the default", { priority: 3 }, set({ priority: 5 })),
		...environmentChanges(),
	];
}

function environmentChanges(): DriftCase[] {
	const change = (what: string, declared: object, lines: string, ...names: string[]) =>
		of(
			"environment",
			what,
			{ environment: declared },
			set({ environment: lines }),
			names.map((name) => `environment.${name}`),
		);
	return [
		change("a value", environment, "MODE=fast\nKEY=theirs", "KEY"),
		change("a space at the end", environment, "MODE=fast\nKEY=ours ", "KEY"),
		change("a value emptied", environment, "MODE=fast\nKEY=", "KEY"),
		change("one less", environment, "MODE=fast", "KEY"),
		change("one more", environment, "MODE=fast\nKEY=ours\nADDED=1", "ADDED"),
		change("all gone", environment, "", "KEY", "MODE"),
		change("one where none was meant", {}, "ADDED=1", "ADDED"),
		change(
			"a name like one of every object's",
			environment,
			"MODE=fast\nKEY=ours\nconstructor=1",
			"constructor",
		),
	];
}

/** What is no drift: white space that pip ignores, order, and what nobody declared. */
export function settingsSpellings(): DriftCase[] {
	const same = (covers: string, what: string, declared: object, change: DriftCase["change"]) =>
		of(covers, what, { ...declared }, change, []);
	const everythingElse = set({
		python_version: "3.9",
		requirements: "x",
		repository: "y",
		priority: 1,
		environment: "A=1",
	});
	return [
		same(
			"requirements",
			"blank lines and spaces",
			{ requirements },
			set({ requirements: "\n pillow \n\n\ttorch==2.5\n" }),
		),
		same(
			"requirements",
			"other line ends",
			{ requirements },
			set({ requirements: "pillow\r\ntorch==2.5\r\n" }),
		),
		same("requirements", "a text for a list", { requirements: "pillow\n" }, set({ requirements: "pillow" })),
		same("requirements", "nothing for nothing", { requirements: [] }, set({ requirements: " \n" })),
		same("environment", "another order", { environment }, set({ environment: "MODE=fast\nKEY=ours" })),
		same(
			"environment",
			"blank lines and comments",
			{ environment },
			set({ environment: "# x\n\nKEY=ours\nMODE=fast\n" }),
		),
		same("environment", "none for none", { environment: {} }, set({ environment: "\n" })),
		same("workers", "settings that nobody declared", { workers: 2 }, everythingElse),
		same("priority", "the default for nothing", { priority: 5, workers: 2 }, set({ workers: 2 })),
		same("pythonVersion", "the same again", { pythonVersion: "3.12" }, set({ python_version: "3.12" })),
		same("repository", "paused meanwhile", { repository }, ({ client, pipeline }) =>
			client.pipelines.pause({ name: pipeline }),
		),
	];
}
