export { matchesGlob } from "../schemas/glob";
export { jsonLiteral } from "./literal";
export { type LeftOut, type LiveTeam, type ModelOptions, modelOf, type TeamModel } from "./model";
export { LANGUAGES, type Language, type ProjectOptions, renderProject } from "./render-project";
export { leftOutLine, secretCommands } from "./render-readme";
export type { StoredSecret } from "./settings";
