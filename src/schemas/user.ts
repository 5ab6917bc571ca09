import { z } from "zod";

export const userSchema = z.looseObject({
	username: z.string().nullish(),
	first_name: z.string().nullish(),
	last_name: z.string().nullish(),
});
