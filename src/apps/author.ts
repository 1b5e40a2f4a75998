/** The author of a toolbox's calls, for the record of changes and the gateway. */
import type { Author } from '../hosts/files/shape.ts';
import { DEFAULT_AGENT } from '../wire/actor.ts';
import { clientName, OPERATOR_CLIENT } from '../wire/client-name.ts';

export interface AuthorOptions {
  /** The calling agent, part of every record. Default: `main`. */
  readonly agent?: string;
  /**
   * The program that the agent runs in, part of every record. An agent can undo only changes it made through this client.
   * Default: `library`.
   */
  readonly client?: string;
  /** The person at the command line: the client is `you`, a reserved name. */
  readonly operator?: true;
  readonly conversation?: string;
}

const LIBRARY = 'library';

export function authorOf({ agent = DEFAULT_AGENT, client, operator, conversation }: AuthorOptions): Author {
  return {
    agent,
    client: operator === true ? OPERATOR_CLIENT : clientName(client, LIBRARY),
    ...(conversation === undefined ? {} : { conversation }),
  };
}
