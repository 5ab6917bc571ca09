/** The local file system of a job needs no credentials, and its documentation names no parameters. */
export const fileShape = {};
