import type { Reply } from "./fields";

export interface UploadedFile
	extends Reply<{ filename: string; size: number; state: string; error: string }> {
	id: number | string;
}
