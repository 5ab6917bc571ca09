import { holdsUrlCredentials } from "../../text/credentials";

/**
 * What looks like a secret. Taking a harmless value for one costs the user a line of configuration; the other mistake
 * puts a password into a repository. So every doubt is decided for "secret".
 */

/** Parts of the names under which people keep credentials, and prefixes of cloud and storage settings. */
const SECRET_NAME =
	/key|token|secret|pass|pwd|credential|creds|dsn|connection|conn_|auth|private|cookie|session|cert|salt|signature|webhook|bearer|jwt|_pat$|_pin$/i;
const CLOUD_NAME =
	/^(fsspec|aws|s3|azure|az|google|gcp|gcs|gcloud|hf|hugging_?face|wandb|openai|anthropic|datachain|dvc)_/i;

/** Shapes that only credentials have. */
const SHAPES: readonly RegExp[] = [
	/-----BEGIN /,
	/\beyJ[\w-]{8,}\.[\w-]+/,
	/\b(AKIA|ASIA)[A-Z0-9]{12,}/,
	/\bAIza[\w-]{20,}/,
	/\b(gh[opsur]_|github_pat_|glpat-|hf_|sk-|sk_|pk_|rk_|pypi-|npm_|xox[a-z]-|dop_v1_|dcl_|isat_|pul-)[\w-]{6,}/,
];

/** `password=…`, `"api_key": …`, `?sig=…` inside a longer text. */
const NAMED_VALUE =
	/(^|[^a-z])(pass(word|wd|phrase)?|pwd|secret|(access|refresh|id|auth|api|sas)?[-_]?token|(api|access|account|shared|private)[-_]?(access)?[-_]?key|sig|signature|credentials?)["']?\s*[=:]\s*["']?[^\s"']/i;

/** Whether a variable of the environment must not stand in the code. */
export function isSecretVariable(name: string, value: string): boolean {
	return (
		SECRET_NAME.test(name) ||
		CLOUD_NAME.test(name) ||
		NAMED_VALUE.test(value) ||
		holdsCredential(value) ||
		looksRandom(value)
	);
}

/**
 * Whether a repository or a requirement carries a credential. Long random texts are no sign there: commits and hashes
 * of packages look like that.
 */
export function holdsCredential(text: string): boolean {
	if (SHAPES.some((shape) => shape.test(text))) return true;
	return text.includes("://") && (holdsUrlCredentials(text) || NAMED_VALUE.test(text));
}

/** A run of letters and digits as generators make them: long, and with few repetitions. */
function looksRandom(value: string): boolean {
	const runs = value.match(/[\w+/=~.-]{16,}/g) ?? [];
	return (
		runs.some((run) => /\d/.test(run) && /[a-z]/i.test(run) && entropy(run) >= 3) ||
		hexRun(value)
	);
}

const hexRun = (value: string): boolean =>
	/(^|[^\da-f])[\da-f]{16,}($|[^\da-f])/i.test(value);

/** Bits per character. */
function entropy(text: string): number {
	const counts = new Map<string, number>();
	for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
	return [...counts.values()].reduce(
		(sum, n) => sum - (n / text.length) * Math.log2(n / text.length),
		0,
	);
}
