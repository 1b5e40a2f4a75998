/**
 * The one place that computes the name of a client. A client says itself what it is called, so a name separates the records
 * of well-behaved clients and proves nothing about a hostile one.
 */

/** The person at the command line. */
export const OPERATOR_CLIENT = 'you';
/** How a record without a client is shown. */
export const UNKNOWN_CLIENT = 'unknown';
/** What Pincer does on its own, such as taking a file away that a sandbox left for the host. */
export const OWN_CLIENT = 'pincer';

/** Names that no client can have. */
const RESERVED: ReadonlySet<string> = new Set([OPERATOR_CLIENT, UNKNOWN_CLIENT, OWN_CLIENT]);

/** Clients whose name over MCP differs from the one that `pincer init` and `pincer hook` use. */
const SAME_CLIENT = /^(codex|gemini)(?:-cli)?-mcp-client(?:-.*)?$/u;

const LONGEST_READ = 1000;
const LONGEST = 64;

/**
 * The name that records keep for a client that calls itself `said`: lower case, letters, digits and `._@/-`, at most 64 of
 * them, never a reserved name. A client without a usable name is called `otherwise`.
 */
export function clientName(said: string | undefined, otherwise: string): string {
  const name = plain(said ?? '');
  if (name === '') return otherwise;
  return RESERVED.has(name) ? `client-${name}` : (SAME_CLIENT.exec(name)?.[1] ?? name);
}

/** The client that a person asks for; undefined where the text names none. */
export function askedClient(text: string): string | undefined {
  const name = plain(text);
  return RESERVED.has(name) ? name : clientName(text, '') || undefined;
}

function plain(text: string): string {
  // Letters of other alphabets could look like a reserved name.
  return text
    .slice(0, LONGEST_READ)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._@/-]+/gu, '-')
    .replace(/^[^a-z0-9@]+/u, '')
    .slice(0, LONGEST)
    .replace(/[^a-z0-9]+$/u, '');
}
