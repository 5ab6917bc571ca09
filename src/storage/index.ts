export type {
	AzArgs,
	FileArgs,
	GsArgs,
	HfArgs,
	S3Args,
	StorageArgs,
	StorageByKind,
	StorageInput,
	StorageKind,
} from "./args";
export { clientConfig, toJobFile } from "./client-config";
export { az, file, forUri, gs, hf, s3 } from "./configs";
