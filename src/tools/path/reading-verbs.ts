/** The verbs of the tool `path` that change nothing. */
export const READING_PATH_VERBS = ['resolve', 'find', 'ls', 'validate'] as const;
