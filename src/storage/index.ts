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
export { az, clientConfig, file, forUri, gs, hf, s3, toJobFile } from "./builders";
