import { isStorageKind, type StorageKind } from "./kinds";

/** What follows the scheme, per storage, and how to say so. */
const SHAPES: Readonly<Record<StorageKind, { readonly rest: RegExp; readonly form: string }>> = {
	// An access point is addressed by its ARN, whose colons are no sign of a password.
	s3: { rest: /^(arn:[^\s/@]+|[A-Za-z0-9][A-Za-z0-9._-]*)(\/.*)?$/s, form: "s3://<bucket>/<path>" },
	gs: { rest: /^[A-Za-z0-9][A-Za-z0-9._-]*(\/.*)?$/s, form: "gs://<bucket>/<path>" },
	az: { rest: /^[$A-Za-z0-9][A-Za-z0-9-]*(\/.*)?$/s, form: "az://<container>/<path>" },
	hf: { rest: /^[A-Za-z0-9][\w.-]*(\/.*)?$/s, form: "hf://<dataset>" },
	file: { rest: /^.+$/s, form: "file://<path>" },
};

/** Other names that the filesystems have for the same storages. */
const OTHER_SCHEMES: Readonly<Record<string, StorageKind>> = {
	s3a: "s3",
	s3n: "s3",
	gcs: "gs",
	abfs: "az",
	abfss: "az",
	wasb: "az",
	wasbs: "az",
};

/**
 * The storage that a URI belongs to. Throws if the scheme is unknown or the rest has another shape; the text shows
 * only the scheme, because people do write passwords into URIs.
 */
export function storageKindOf(uri: string): StorageKind {
	const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(.*)$/s.exec(uri);
	if (match === null) throw new TypeError(`A storage URI has the form ${forms()}. This one has no scheme.`);
	const [, scheme = "", rest = ""] = match;
	if (!isStorageKind(scheme)) {
		const lower = scheme.toLowerCase();
		const other = OTHER_SCHEMES[lower] ?? (isStorageKind(lower) ? lower : undefined);
		const hint = other ? `Write ${other}:// instead.` : `Use one of ${forms()}.`;
		throw new TypeError(`The scheme "${scheme}" of a storage URI is not supported. ${hint}`);
	}
	const { rest: shape, form } = SHAPES[scheme];
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
	if (!shape.test(rest) || /[\u0000-\u001f\u007f]/.test(rest)) {
		throw new TypeError(
			`A ${scheme} URI has the form ${form}, without user name, password or control characters. Credentials are given ` +
				`as parameters of storage.${scheme}.`,
		);
	}
	return scheme;
}

const forms = (): string =>
	Object.values(SHAPES)
		.map(({ form }) => form)
		.join(", ");
