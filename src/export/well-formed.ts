/** Half of a surrogate pair is no character: it does not survive the way through Pulumi's engine, which speaks UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

export const NOT_WELL_FORMED = "has half of a character in it, which cannot be declared";
