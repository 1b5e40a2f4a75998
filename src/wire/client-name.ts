/**
 * Computes the names of clients. A client reports its own name, so the name only separates the records of well-behaved clients;
 * it proves nothing about a hostile one.
 */

/** The person at the command line. */
export const OPERATOR_CLIENT = 'you';
/** The client of a record without one. */
export const UNKNOWN_CLIENT = 'unknown';
/** The author of actions by Pincer itself, such as the quarantine of an obeyed file. */
export const OWN_CLIENT = 'pincer';

const RESERVED: ReadonlySet<string> = new Set([OPERATOR_CLIENT, UNKNOWN_CLIENT, OWN_CLIENT]);

/** Clients whose name over MCP differs from the one that `pincer init` and `pincer hook` use. */
const SAME_CLIENT = /^(codex|gemini)(?:-cli)?-mcp-client(?:-.*)?$/u;

const MAX_INPUT = 1000;
const MAX_LENGTH = 64;

/**
 * Normalises a reported name to at most 64 lower-case letters, digits and `._@/-`. A reserved name gets a prefix. Returns `fallback`
 * when nothing is left.
 */
export function clientName(reported: string | undefined, fallback: string): string {
  const name = normalise(reported ?? '');
  if (name === '') return fallback;
  return RESERVED.has(name) ? `client-${name}` : (SAME_CLIENT.exec(name)?.[1] ?? name);
}

/** The client in a query, also a reserved name; undefined where the text contains none. */
export function requestedClient(text: string): string | undefined {
  const name = normalise(text);
  return RESERVED.has(name) ? name : clientName(text, '') || undefined;
}

function normalise(text: string): string {
  // Letters of other alphabets could look like a reserved name.
  return text
    .slice(0, MAX_INPUT)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._@/-]+/gu, '-')
    .replace(/^[^a-z0-9@]+/u, '')
    .slice(0, MAX_LENGTH)
    .replace(/[^a-z0-9]+$/u, '');
}
