import {
	checkStorage,
	SECRET_PARAMETERS,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
} from "../../../../src/storage/rules";
import { type Declared, PROGRAM } from "../../../../test/helpers/e2e-deployment";
import type { Canaries } from "./canaries";

/** Has what the settings hold in its outputs, where the engine would show them. */
export const WITH_OUTPUTS = `${PROGRAM}
const { settings } = made;
if (settings) module.exports = { environment: settings.environment, storage: settings.storage, before: settings.previous };
`;

/** Every credential of every storage, by the schemas: a new one is in here without being written down. */
function storageWithCanaries(canaries: Canaries, round: string): { $storage: StorageKind; args: object }[] {
	return STORAGE_KINDS.filter((kind) => SECRET_PARAMETERS[kind].length > 0).map((kind) => {
		const secrets = SECRET_PARAMETERS[kind].map((name) => {
			const [field, schema] = [`${round} storage.${kind}.${name}`, STORAGES[kind].shape[name]];
			if (name === "connectionString")
				return [name, `AccountName=images;AccountKey=${canaries.word(field)}=`];
			const asText = canaries.text(field);
			return [name, schema?.safeParse(asText).success ? asText : { outer: { inner: [asText] } }];
		});
		// Not secret, and needed beside those that are.
		const beside = kind === "az" ? { accountName: "images", clientId: "client", tenantId: "tenant" } : {};
		const parameters = { ...beside, ...Object.fromEntries(secrets) };
		const { problems } = checkStorage({ kind, parameters }, () => false);
		if (problems.length > 0)
			throw new Error(`storage.${kind}: ${problems.map(({ reason }) => reason).join(" ")}`);
		return { $storage: kind, args: parameters };
	});
}

/** The whole program with fresh canaries in each secret field. */
export function resources(canaries: Canaries, round: string): Declared[] {
	const word = (field: string) => canaries.word(`${round} ${field}`);
	const text = (field: string) => canaries.text(`${round} ${field}`);
	const settings = {
		pipelineName: "rusty-vise",
		environment: { OURS: { $secret: text("environment.OURS") }, MODE: "fast" },
		storage: storageWithCanaries(canaries, round),
		repository: `https://user:${word("repository")}@example.com/repo.git`,
		requirements: ["pillow", `--extra-index-url https://${word("requirements")}@example.com/simple`],
		adopt: true,
		onDestroy: "restore",
	};
	const environment = { $secret: { ALL: text("environment, secret as a whole") } };
	const config = { $storage: "s3", args: { key: text("toJobFile key"), secret: text("toJobFile secret") } };
	return [
		{ kind: "PipelineSettings", name: "settings", args: settings },
		{ kind: "PipelineSettings", name: "whole", args: { pipelineName: "quiet-harbor", environment } },
		{
			kind: "PipelineSchedule",
			name: "schedule",
			args: { pipelineName: "rusty-vise", cronExpression: "@daily" },
		},
		{ kind: "JobFile", name: "file", args: { name: "f.txt", text: { $secret: text("JobFile text") } } },
		{ kind: "JobFile", name: "config", args: { $file: config } },
	];
}

/** Inputs that are refused, each with a canary where a message could show it. */
export function refused(canaries: Canaries): Declared[] {
	const text = (field: string) => canaries.text(`check ${field}`);
	const word = (field: string) => canaries.word(`check ${field}`);
	const storage = ($storage: StorageKind, args: object) => ({ storage: [{ $storage, args }] });
	const twoLines = `${text("line break")}\nEXTRA=${text("after it")}`;
	const settings: Readonly<Record<string, object>> = {
		break: { environment: { OURS: { $secret: twoLines } } },
		badname: { environment: { "BAD NAME": { $secret: text("bad name") } } },
		repository: { repository: { $secret: `https://u:${word("repository")}@example.com/\u0007` } },
		requirements: { requirements: [`https://u:${word("requirements")}@example.com/\u0007`] },
		alone: storage("s3", { key: text("s3.key alone"), secretKey: text("s3, no such parameter") }),
		endpoint: storage("s3", { endpointUrl: `https://u:${word("s3.endpointUrl")}@example.com` }),
		token: storage("gs", { token: `{"private_key":"${word("gs.token")}"}` }),
		string: storage("az", { connectionString: text("az.connectionString") }),
	};
	return [
		...Object.entries(settings).map(([name, more]): Declared => {
			return {
				kind: "PipelineSettings",
				name,
				args: { pipelineName: `nightly-${name}`, adopt: true, ...more },
			};
		}),
		{ kind: "JobFile", name: "unnamed", args: { text: { $secret: text("JobFile without a name") } } },
	];
}
