/** The expression as it is sent to the service, which reads no macro with white space around it. */
export const normalizeCron = (expression: string): string => expression.trim().split(/\s+/).join(" ");
