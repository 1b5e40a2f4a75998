/** The backend `off`: commands run directly on this machine, as its user, without isolation. */
import { Fault } from '../../base/fault.ts';
import type { Backend } from './backend.ts';

/** Always available; promises nothing and opens no sandbox. */
export const offBackend: Backend = {
  name: 'off',
  probe: async () => ({ ok: true, version: 'this machine', promises: [] }),
  dependsOn: async () => '',
  open: async () => {
    throw sandboxingIsOff('this machine');
  },
};

export function sandboxingIsOff(who: string): Fault {
  return new Fault('SANDBOX_OFF', `sandboxing is off for ${who}`, {
    hint: 'set sandbox.mode in the operator\'s pincer.jsonc to "all", or to "non-main" for all but the agent main in its own conversation',
  });
}
