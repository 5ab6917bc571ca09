import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startServer } from "../../src/server";
import { run } from "../../tools/process/run";
import { PythonEnvironment } from "../helpers/python-environment";
import { bearer } from "../helpers/server-harness";
import { testFolder } from "../helpers/test-folder";

const fuzzer = new PythonEnvironment("the API fuzzer schemathesis", {
	schemathesis: "4.32.5",
});
const isSkipped = fuzzer.isMissingFor("the API fuzzer against the local server");

/** What the fuzzer judges of each response. It may not wonder that a name which nobody has is answered with 404. */
const CHECKS = [
	"not_a_server_error",
	"status_code_conformance",
	"content_type_conformance",
	"response_schema_conformance",
	"unsupported_method",
];

/** A fixed seed, so that a red run can be repeated as it was. */
const SEED = 20_260_101;

const COMMAND =
	"import sys; from schemathesis.cli import schemathesis; sys.exit(schemathesis())";

test.skipIf(isSkipped)(
	"the local server answers everything as its description says, and never with 5xx",
	{ timeout: 1_200_000 },
	async () => {
		const python = await fuzzer.python();
		const server = await startServer();
		const folder = testFolder("fuzzed-");
		const report = join(folder, "report.xml");
		const args = [
			...["run", `${server.url}/api/openapi.json`, "--url", `${server.url}/api`],
			...["--header", `Authorization: ${bearer(server.token).Authorization}`],
			...[
				"--checks",
				CHECKS.join(","),
				"--max-examples",
				"50",
				"--seed",
				String(SEED),
				"--workers",
				"1",
			],
			...["--report", "junit", "--report-junit-path", report, "--no-color"],
		];
		try {
			const result = await run(python, ["-c", COMMAND, ...args], {
				cwd: folder,
				timeoutMs: 1_000_000,
			});
			const { entries } = server.requests;
			console.info(
				`${result.stdout.slice(-1_500)}\n${entries.length} requests to the API`,
			);
			expect(result.code, `${result.stdout.slice(-6_000)}\n${result.stderr}`).toBe(0);
			expect(entries.filter(({ status }) => status >= 500)).toEqual([]);
			expect(entries.length).toBeGreaterThan(500);
			expect(readFileSync(report, "utf8")).not.toMatch(/<(failure|error)\b/);
		} finally {
			await server.close();
		}
	},
);
