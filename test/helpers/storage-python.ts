import { PythonEnvironment } from "./python-environment";

/** The filesystems that jobs use, at versions that work together. */
export const storagePython = new PythonEnvironment("the Python filesystems", {
	fsspec: "2026.9.0",
	s3fs: "2026.9.0",
	gcsfs: "2026.10.1",
	adlfs: "2026.8.0",
	huggingface_hub: "2.4.0",
});
