import { spawnSync } from "node:child_process";
import { repository } from "../repository";
import { rewordDeclarations } from "./declarations";

/** The whole build, for `npm run build`, for releases and for the tests: compiled JavaScript and its declarations. */
const tsc = [require.resolve("typescript/bin/tsc"), "-p", "tsconfig.json"];
const { status } = spawnSync(process.execPath, tsc, { cwd: repository, stdio: "inherit" });
if (status === 0) rewordDeclarations();
else process.exitCode = status ?? 1;
