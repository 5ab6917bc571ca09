import { resolve } from "node:path";
import ts from "typescript";
import { beforeAll, expect, test } from "vitest";
import { DOCUMENT } from "../../helpers/storage-document";

const root = resolve(__dirname, "..", "..", "..");
const argsFile = resolve(root, "src", "storage", "args.ts");
const INTERFACES: Readonly<Record<string, string>> = {
	s3: "S3Args",
	gs: "GsArgs",
	az: "AzArgs",
	hf: "HfArgs",
};

/** What an editor shows for a field of an args type. */
const shown = new Map<string, string>();

beforeAll(() => {
	const { config } = ts.readConfigFile(resolve(root, "tsconfig.json"), ts.sys.readFile);
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
	const program = ts.createProgram([argsFile], { ...options, noEmit: true, incremental: false });
	const checker = program.getTypeChecker();
	ts.forEachChild(program.getSourceFile(argsFile) as ts.SourceFile, (node) => {
		if (!ts.isInterfaceDeclaration(node)) return;
		for (const field of checker.getTypeAtLocation(node).getProperties()) {
			const text = ts.displayPartsToString(field.getDocumentationComment(checker));
			shown.set(`${node.name.text}.${field.name}`, text.replace(/\s+/g, " "));
		}
	});
}, 60_000);

test.each(DOCUMENT)(
	"what an editor shows of $kind $name: meaning, wire name and default",
	({ kind, wire, name, ...row }) => {
		const text = shown.get(`${INTERFACES[kind]}.${name}`) ?? "";
		expect(text).toMatch(/^[A-Z].{10,}/);
		expect(text).toContain(`Wire name \`${wire}\``);
		expect(text).toContain(`Default: ${row.default}`);
	},
);
