/** The toolboxes that a page uses: that of the served agent, and that of the operator. */
import { assembleTools, type CallOptions, type Toolbox, type ToolboxOptions } from '../../../assemble.ts';
import { configuredToolbox, type EntryOptions } from '../../../configured-toolbox.ts';
import type { ClientIdentity } from '../../../mcp/options.ts';
import { closeToolbox } from '../../../toolbox-close.ts';
import type { PageCall } from './page-method.ts';

export interface PageToolsOptions {
  /** The toolbox of an agent's client. */
  readonly toolbox: (client: ClientIdentity) => Promise<Toolbox>;
  /** The options of the server's entry, for the toolbox of the operator. */
  readonly entry: Omit<EntryOptions, 'asks'>;
}

export interface PageTools {
  asAgent(): Promise<Toolbox>;
  /** Closes the toolbox after the work. */
  asOperator<T>(work: (tools: Toolbox, options: ToolboxOptions) => Promise<T>): Promise<T>;
}

/** What a viewer reads must not create a sandbox, or replace one together with its record of changes. */
export function callOptions({ login, signal }: Pick<PageCall, 'login' | 'signal'>): CallOptions {
  return login.role === 'operator' ? { signal } : { signal, onlyRunning: true };
}

/** The client of calls as the agent. */
const PAGE_CLIENT = 'page';

export function pageTools({ toolbox, entry }: PageToolsOptions): PageTools {
  return {
    asAgent: () => toolbox({ name: PAGE_CLIENT }),
    async asOperator(work) {
      const options = await configuredToolbox({ ...entry, asks: 'operator', allowUndo: true });
      const tools = assembleTools(options);
      try {
        return await work(tools, options);
      } finally {
        closeToolbox(tools);
      }
    },
  };
}
