/**
 * `https://user:password@host` and `https://token@host`; not the user of `ssh://git@host`, and not the revision in
 * `host/repo@main`.
 */
const CREDENTIALS = /:\/\/(?!git@)[^/@\s]+@/g;

export const holdsUrlCredentials = (text: string): boolean => text.search(CREDENTIALS) >= 0;

export const withoutUrlCredentials = (text: string): string => text.replace(CREDENTIALS, "://***@");

/** The credentials in the text's URLs: each whole (`user:password`) and, where there is one, the password alone. */
export const urlCredentials = (text: string): string[] =>
	(text.match(CREDENTIALS) ?? []).flatMap((found) => {
		const whole = found.slice("://".length, -1);
		const password = whole.slice(whole.indexOf(":") + 1);
		return [whole, password];
	});
