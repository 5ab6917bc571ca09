import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { DEFAULT_URL } from "../base-url";
import type { FoundSettings } from "../connection";
import { errorCode } from "../error-code";
import { ConnectionError } from "../errors";
import { type LoginPlace, loginFolders, withTilde } from "./folders";

/** Loaded when there is such a file: who has the environment set never pays for it. */
const toml = () => require("smol-toml") as { parse(text: string): unknown };

/** What `datachain auth login` and `datachain auth team` left behind. */
export type Login = Partial<FoundSettings>;

const text = z.string().trim().min(1).optional().catch(undefined);
const sectionSchema = z.object({ url: text, token: text, team: text });
const fileSchema = z.object({ studio: sectionSchema.optional().catch(undefined) });

/** Reads the config files of the service's own client; each setting comes from the last file that has it. */
export function readLogin(place: LoginPlace): Login {
	const folders = loginFolders(place);
	return Object.assign(
		{},
		...folders.map((folder, index) => loginIn(folder, index === folders.length - 1, place.env)),
	);
}

function loginIn(folder: string, isProjects: boolean, env: NodeJS.ProcessEnv): Login {
	const path = join(folder, "config");
	const from = withTilde(path, env);
	const { url, token, team } = studioSection(path, from);
	return {
		...(url && { baseUrl: { value: url, from, isProjects } }),
		...(team && { teamName: { value: team, from } }),
		...(token && { token: { value: token, from, only: url ?? DEFAULT_URL } }),
	};
}

function studioSection(path: string, file: string): z.infer<typeof sectionSchema> {
	const content = contentOf(path, file);
	if (content === undefined) return {};
	try {
		return fileSchema.parse(toml().parse(content)).studio ?? {};
	} catch (error) {
		// The parser's own message quotes the line, and the line may be that of the token.
		const line = error instanceof Error && "line" in error ? `, line ${String(error.line)}` : "";
		throw new ConnectionError(
			`The file ${file}${line} is not TOML. Correct it, or run \`datachain auth login\` again.`,
			[],
		);
	}
}

function contentOf(path: string, file: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (error) {
		const code = errorCode(error);
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw new ConnectionError(`The file ${file} cannot be read (${code}). Check its permissions.`, []);
	}
}
