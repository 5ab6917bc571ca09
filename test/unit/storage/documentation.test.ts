import { beforeAll, expect, test } from "vitest";
import { Declarations } from "../../../tools/schema/declarations";
import { DOCUMENT } from "../../helpers/storage-document";

const INTERFACES: Readonly<Record<string, string>> = {
	s3: "S3Args",
	gs: "GsArgs",
	az: "AzArgs",
	hf: "HfArgs",
};

let declarations: Declarations;
beforeAll(() => {
	declarations = new Declarations();
}, 60_000);

test.each(DOCUMENT)(
	"what an editor shows of $kind $name: meaning, wire name and default",
	({ kind, wire, name, ...row }) => {
		const field = declarations.properties(INTERFACES[kind] ?? "").find((each) => each.name === name);
		const text = field?.comment.replace(/\s+/g, " ");
		expect(text).toMatch(/^[A-Z].{10,}/);
		expect(text).toContain(`Wire name \`${wire}\``);
		expect(text).toContain(`Default: ${row.default}`);
	},
);
