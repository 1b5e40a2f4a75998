/** Who a toolbox acts for, in the record of changes and towards the gateway. */
import type { Author } from '../hosts/files/shape.ts';
import { DEFAULT_AGENT } from '../wire/actor.ts';
import { clientName, OPERATOR_CLIENT } from '../wire/client-name.ts';

/** What a way in says about who calls. */
export interface AuthorOptions {
  /** Who calls; kept with every record. Default: `main`. */
  readonly agent?: string;
  /**
   * The program that the agent runs in, kept with every record; an agent's undo reaches only what it did through this client.
   * Default: `library`.
   */
  readonly client?: string;
  /** The person at the command line calls: the client is `you`, which no other client can be. */
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
