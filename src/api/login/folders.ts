import { homedir } from "node:os";
import { posix, win32 } from "node:path";

const APP = "datachain";
const AUTHOR = "iterative";

/** Whose folders are asked for; the platform and the current folder are those of this process unless given. */
export interface LoginPlace {
	readonly env: NodeJS.ProcessEnv;
	readonly platform?: NodeJS.Platform | undefined;
	readonly cwd?: string | undefined;
}

/**
 * The folders whose file `config` the service's own client reads, those that win last: of the machine, of the user, of
 * the project. Where they are is what its library platformdirs says, except that a Python from Homebrew has another
 * folder of the machine, which only that Python knows.
 */
export function loginFolders({
	env,
	platform = process.platform,
	cwd = process.cwd(),
}: LoginPlace): string[] {
	const { join } = platform === "win32" ? win32 : posix;
	const { machine, user } = platform === "win32" ? windowsFolders(env) : unixFolders(env, platform);
	return [
		env.DATACHAIN_SYSTEM_CONFIG_DIR || machine,
		env.DATACHAIN_GLOBAL_CONFIG_DIR || user,
		env.DATACHAIN_DIR ?? join(env.DATACHAIN_ROOT_DIR ?? cwd, `.${APP}`),
	];
}

function unixFolders(env: NodeJS.ProcessEnv, platform: NodeJS.Platform) {
	const absolute = (path: string | undefined): path is string => posix.isAbsolute(path ?? "");
	const home = homeOf(env);
	const usual =
		platform === "darwin"
			? { machine: "/Library/Application Support", user: posix.join(home, "Library/Application Support") }
			: { machine: "/etc/xdg", user: posix.join(home, ".config") };
	const machine = env.XDG_CONFIG_DIRS?.split(":").find(absolute) ?? usual.machine;
	const user = absolute(env.XDG_CONFIG_HOME) ? env.XDG_CONFIG_HOME : usual.user;
	return { machine: posix.join(machine, APP), user: posix.join(user, APP) };
}

function windowsFolders(env: NodeJS.ProcessEnv) {
	const machine = env.ALLUSERSPROFILE || "C:\\ProgramData";
	const user = env.LOCALAPPDATA || win32.join(env.USERPROFILE || homedir(), "AppData", "Local");
	return { machine: win32.join(machine, AUTHOR, APP), user: win32.join(user, AUTHOR, APP) };
}

const homeOf = (env: NodeJS.ProcessEnv): string =>
	env.HOME !== undefined && posix.isAbsolute(env.HOME) ? env.HOME : homedir();

/** The path as people write it: messages end up in logs that others read, and need not name a user. */
export function withTilde(path: string, env: NodeJS.ProcessEnv): string {
	const home = homeOf(env).replace(/[\\/]+$/, "");
	const rest = path.slice(home.length);
	return home !== "" && path.startsWith(home) && /^[\\/]/.test(rest) ? `~${rest}` : path;
}
