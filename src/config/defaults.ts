/** Programs that only read their standard input, and may run without an entry in an allowlist. */
export const DEFAULT_SAFE_BINS: readonly string[] = ['cut', 'uniq', 'head', 'tail', 'tr', 'wc'];
