/** No sandbox: commands run on this machine itself, as its user, and nothing holds them back. */
import { Fault } from '../../base/fault.ts';
import type { Backend } from './backend.ts';

/** The backend of those whose sandboxing is off. It is always there, promises nothing, and opens nothing. */
export const offBackend: Backend = {
  name: 'off',
  probe: async () => ({ ok: true, version: 'this machine', promises: [] }),
  dependsOn: async () => '',
  open: async () => {
    throw sandboxingIsOff('this machine');
  },
};

/** What needs a sandbox cannot be done without one. */
export function sandboxingIsOff(who: string): Fault {
  return new Fault('SANDBOX_OFF', `sandboxing is off for ${who}`, {
    hint: 'set sandbox.mode in the operator\'s pincer.jsonc to "all", or to "non-main" for all but the agent main in its own conversation',
  });
}
