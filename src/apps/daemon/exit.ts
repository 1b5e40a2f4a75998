/** The exit code of a daemon that found another one at work. */
export const ANOTHER_RUNS = 75;
