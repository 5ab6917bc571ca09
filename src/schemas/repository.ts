import { holdsUrlCredentials } from "../text/credentials";

/** `https://host/…`, and `git@host:owner/name`, the short form of SSH. */
const CLONE_URL =
	/^(?:(?:https?|ssh|git|git\+https|git\+ssh):\/\/[^\s/]|[\w.-]+@[\w.-]+:)[^\s#]*$/i;
const LOCAL = /^(?:\.{1,2}(?:[/\\]|$)|[/~\\]|[a-z]:[/\\]|file:)/i;
const HOST = /^[\w-]+(?:\.[\w-]+)+\/\S+$/;
const OWNER_AND_NAME = /^[\w.-]+\/[\w.-]+(?:@\S+)?$/;
/** The page of a branch, as a browser shows it: of GitHub, and of GitLab. */
const PAGE =
	/^(https?:\/\/(?:github\.com\/[^/\s]+\/[^/\s]+|\S+(?=\/-\/)))(?:\/-)?\/(?:tree|blob)\/([^/\s#?]+)/i;
const FRAGMENT = /^(https?:\/\/[^\s#]+)#([^\s#]+)$/i;

interface RepositoryProblem {
	readonly message: string;
	/** The same where the address may be a secret. */
	readonly withoutValue: string;
}

const FORM =
	'must be the URL to clone, such as "https://github.com/owner/name", with an optional @revision';
const ELSEWHERE = `is a path on this machine, and jobs run on others: it ${FORM}`;

/** Why no job could clone it, with what to write instead; undefined if one may. Empty means none. */
export function repositoryProblem(text: string): RepositoryProblem | undefined {
	const page = PAGE.exec(text) ?? FRAGMENT.exec(text);
	if (text === "" || (CLONE_URL.test(text) && page === null)) return undefined;
	const form = LOCAL.test(text) ? ELSEWHERE : FORM;
	// The part before the host may be a password, also of a URL that cannot be used.
	if (holdsUrlCredentials(text)) return { message: form, withoutValue: form };
	const message = `${form}, not ${JSON.stringify(text.slice(0, 200))}`;
	const instead = page === null ? repaired(text) : `${page[1]}@${page[2]}`;
	const meant =
		instead === undefined ? "" : `. Did you mean ${JSON.stringify(instead)}?`;
	return { message: message + meant, withoutValue: form };
}

function repaired(text: string): string | undefined {
	if (LOCAL.test(text)) return undefined;
	if (HOST.test(text)) return `https://${text}`;
	return OWNER_AND_NAME.test(text) ? `https://github.com/${text}` : undefined;
}
