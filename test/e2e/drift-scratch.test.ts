import { expect, it } from "vitest";
import { writeFileSync } from "node:fs";
import { testDeployment } from "../helpers/e2e-deployment";
import { runCli } from "../helpers/drift-cli";
it("x", async () => {
	const t = await testDeployment();
	t.declare({ kind: "PipelineSchedule", name: "a", args: { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" } },
	{ kind: "PipelineSettings", name: "b", args: { pipelineName: "rusty-vise", workers: 2, credentialsNames: ["c"], environment: { A: "x", B: { $secret: "canary-1" } } } });
	await t.up();
	const [s] = (await t.client.schedules.list()).filter((i) => i.schedule_name === "lifecycle-dev-a");
	await t.client.schedules.update({ schedule_id: s!.id, cron_expression: "9 9 * * *" });
	await t.client.pipelines.settings({ pipeline_name: "rusty-vise", environment: "A=x\nB=other\nC=3" });
	const r = await t.stack.refresh(["--preview-only", "--json"]);
	writeFileSync("/tmp/refresh.json", r.stdout + r.stderr);
	const place = { folder: t.folder, env: t.stack.env };
	for (const args of [["drift"], ["drift","--stack","dev"], ["drift", "--stack", "dev", "--json"], ["drift","--stack","dev","--markdown","--html","/tmp/drift.html"], ["doctor"], ["drift","--stack","nope"]]) {
		const started = Date.now();
		const o = await runCli(place, args);
		console.log(args.join(" "), o.code, Date.now() - started, "ms\n" + o.stdout, "\nERR", o.stderr);
	}
	await t.dispose();
});
