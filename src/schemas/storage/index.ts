export { azShape } from "./az";
export {
	checkParameterNames,
	checkStorage,
	isStorageKind,
	type StorageFindings,
	type StorageProblem,
	type StorageUse,
} from "./check";
export { differingParameters, type ForeignMarks, liveConfig } from "./compare";
export { gsShape } from "./gs";
export { hfShape } from "./hf";
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
export { s3Shape } from "./s3";
export { storageKindOf } from "./uri";
