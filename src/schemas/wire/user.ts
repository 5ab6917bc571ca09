import type { Reply } from "./fields";

export interface User extends Reply<{ username: string; first_name: string; last_name: string }> {}
