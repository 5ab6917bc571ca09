/**
 * `https://user:password@host` and `https://token@host`; not the user of `ssh://git@host`, and not the revision in
 * `host/repo@main`.
 */
const CREDENTIALS = /:\/\/(?!git@)[^/@\s]+@/g;

export const holdsUrlCredentials = (text: string): boolean => text.search(CREDENTIALS) >= 0;

export const withoutUrlCredentials = (text: string): string => text.replace(CREDENTIALS, "://***@");
