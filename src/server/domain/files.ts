import { invalid } from "../refusal";
import type { FileRecord, TeamState } from "../state";
import type { World } from "../world";

/** Refuses names that would mean another place than the folder they are put in. */
export function requireFileName(name: string): void {
	if (name === "") throw invalid("file: the part has no filename.");
	if (/\p{Cc}/u.test(name)) throw invalid("file: the filename must not contain control characters.");
	if (/[/\\]/.test(name) || name === "." || name === "..") {
		throw invalid("file: the filename must be a plain name, without a folder.");
	}
	if (Buffer.byteLength(name) > 255) throw invalid("file: the filename must not be longer than 255 bytes.");
}

/** The content is not kept: the API has no way to read a file back. */
export function addFile(world: World, team: TeamState, file: Omit<FileRecord, "id">): FileRecord {
	const record: FileRecord = { id: world.state.nextFileId++, ...file };
	team.files.push(record);
	world.changed(team);
	return record;
}
