import { locate as locateSlot } from '../../src/hosts/files/gate/locate.ts';
import { Root } from '../../src/hosts/files/gate/root.ts';
import type { Located } from '../../src/hosts/files/shape.ts';

/** The file that a slot means in a workspace; there is no state folder inside of it. */
export function locate(workspace: string, slot: string): Located {
  return locateSlot({ root: Root.pin(workspace), stateDir: '/no/state', readHardLinks: true }, slot);
}
