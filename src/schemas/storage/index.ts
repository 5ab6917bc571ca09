export { type AzParameters, azSchema, azShape } from "./az";
export {
	checkParameterNames,
	checkStorage,
	isStorageKind,
	type StorageFindings,
	type StorageProblem,
	type StorageUse,
} from "./check";
export { differingParameters, type ForeignMarks, liveConfig } from "./compare";
export { type FileParameters, fileSchema, fileShape } from "./file";
export { type GsParameters, gsSchema, gsShape } from "./gs";
export { type HfParameters, hfSchema, hfShape } from "./hf";
export {
	REPEATED_KIND,
	SECRET_PARAMETERS,
	STORAGE_KINDS,
	STORAGES,
	type StorageConfig,
	type StorageKind,
	storageVariable,
	wireName,
} from "./kinds";
export { clientConfig, compactJson, readStorage, renderStorage } from "./render";
export { type S3Parameters, s3Schema, s3Shape } from "./s3";
export { storageKindOf } from "./uri";
