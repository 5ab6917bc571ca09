import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type { Group } from "../../src/verify/assumption";
import { assumptionIds, assumptionOf, unchecked } from "../../src/verify/table";
import { repository } from "../repository";

export const assumptionsFile = join(repository, "docs", "internals", "service.md");

const INTRODUCTION = `# Assumptions about the API

\`npm run assumptions\` writes this page from the table of \`pulumi-datachain verify\` (\`src/verify/table.ts\`). The command checks each of these
assumptions on your own service: [Command line](../cli.md#verify).

"Documented" is DataChain Studio's REST description. "Observed" is what its Python client (0.62) sends and needs. "Assumed" is what neither of them
says. With "copes", a difference does not fail the command.
`;

const TITLES: Readonly<Record<Group, string>> = {
	description: "The published description",
	reading: "Checked by requests that read",
	writing: "Checked by requests that write, with `--pipeline`",
};

/** The page as it should be now. */
export function assumptionsPage(): string {
	const groups = (Object.keys(TITLES) as Group[]).map(section);
	const rest = table(
		["Assumption", "Why it is not checked", "If it does not hold"],
		unchecked.map(({ sentence, why, otherwise }) => [sentence, why, otherwise]),
	);
	return `${[INTRODUCTION, ...groups, `## Not checked\n\n${rest}`].join("\n")}`;
}

function section(group: Group): string {
	const ids = assumptionIds.filter(
		(id) => assumptionOf(id).group === group && !isOperation(id),
	);
	const rows = ids.map((id) => {
		const { sentence, source, otherwise, matters } = assumptionOf(id);
		return [
			`\`${id}\``,
			sentence,
			source,
			matters ? otherwise : `${otherwise} (copes)`,
		];
	});
	const heads = ["Id", "Assumption", "Source", "If it does not hold"];
	const operations = group === "description" ? `\n${operationText()}` : "";
	return `## ${TITLES[group]}\n\n${table(heads, rows)}${operations}`;
}

const isOperation = (id: string): boolean => id.startsWith("describes-");

/** The same for each operation, so it is said once. */
function operationText(): string {
	const names = Object.keys(endpoints) as EndpointName[];
	const rows = names.map((name) => [
		`\`describes-${name}\``,
		`\`${endpoints[name].method} ${endpoints[name].path}\``,
	]);
	const { otherwise } = assumptionOf("describes-listJobs");
	return `Each operation is described with the parameters and fields that the provider sends and reads. ${otherwise}\n\n${table(["Id", "Operation"], rows)}`;
}

/** Padded, as the other pages have it. */
function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
	const widths = heads.map((head, at) =>
		Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)),
	);
	const line = (cells: readonly string[]) =>
		`| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |\n`;
	const rule = line(widths.map((width) => "-".repeat(width)));
	return `${line(heads)}${rule}${rows.map(line).join("")}`;
}

if (require.main === module) writeFileSync(assumptionsFile, assumptionsPage());
