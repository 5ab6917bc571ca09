export { matchesGlob } from "../schemas/glob";
export { type LiveTeam, modelOf, type TeamModel } from "./model";
export { LANGUAGES, type Language, type ProjectOptions, renderProject } from "./render-project";
export { leftOutLine, secretCommands } from "./render-readme";
export type { StoredSecret } from "./settings";
