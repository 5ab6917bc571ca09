import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { ensureHost, hostProblem } from "../../tools/engine/hosts";
import { buildExecutable } from "../../tools/plugin/executable";
import { must } from "../../tools/process/must";
import { EXAMPLE_KINDS, exampleProgram } from "../../tools/schema/examples";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { types, withoutPlugin } from "../helpers/plugin-languages";

const maven = findIn(pathFolders(process.env), "mvn");
const cannot = maven === undefined || hostProblem("java") !== undefined;

/** As Pulumi's template for Java has it, with what the generated SDK says it needs. */
const POM = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.example</groupId>
  <artifactId>lifecycle</artifactId>
  <version>1.0</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    <mainClass>pipelineschedule.App</mainClass>
    <mainArgs/>
  </properties>
  <dependencies>
    <dependency><groupId>com.pulumi</groupId><artifactId>pulumi</artifactId><version>1.16.2</version></dependency>
    <dependency><groupId>com.google.code.findbugs</groupId><artifactId>jsr305</artifactId><version>3.0.2</version></dependency>
    <dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.8.9</version></dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.codehaus.mojo</groupId>
        <artifactId>exec-maven-plugin</artifactId>
        <version>3.5.0</version>
        <configuration><mainClass>\${mainClass}</mainClass><commandlineArgs>\${mainArgs}</commandlineArgs></configuration>
      </plugin>
    </plugins>
  </build>
</project>
`;

describe.skipIf(cannot)("a program in Java, with the SDK that `pulumi package add` generates", () => {
	let test: TestDeployment;
	let plugin: string;
	beforeAll(async () => {
		plugin = (await buildExecutable()).program;
		const PATH = [await ensureHost("java"), withoutPlugin()].join(delimiter);
		test = await testDeployment({ env: { PATH } });
		const plugins = JSON.stringify({ providers: [{ name: "datachain", path: dirname(plugin) }] });
		writeFileSync(join(test.folder, "Pulumi.yaml"), `name: lifecycle\nruntime: java\nplugins: ${plugins}\n`);
	});
	afterAll(() => test?.dispose());

	it("is compiled with every example of the schema", async () => {
		writeFileSync(join(test.folder, "pom.xml"), POM);
		const { code, stdout, stderr } = await test.stack.run(["package", "add", plugin]);
		expect(code, stdout + stderr).toBe(0);
		cpSync(join(test.folder, "sdks", "datachain", "src"), join(test.folder, "src"), { recursive: true });
		for (const kind of EXAMPLE_KINDS) {
			const name = kind.toLowerCase();
			const folder = join(test.folder, "src", "main", "java", name);
			mkdirSync(folder, { recursive: true });
			writeFileSync(join(folder, "App.java"), `package ${name};\n${exampleProgram(kind, "java")}\n`);
		}
		await must(maven ?? "", ["--quiet", "--batch-mode", "compile"], { cwd: test.folder });
	});

	it("deploys and settles", async () => {
		await test.up();
		await test.expectSettled();
		expect(types(test)).toEqual(["datachain:index"]);
	});
});
