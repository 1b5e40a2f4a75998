/** Protects against a press that was meant for another pairing request: cards move when a request comes or ends. */
import { effect } from '@preact/signals';
import { createArming } from '../../arming.ts';
import { pendingNodes } from '../../state/nodes.ts';

export const arming = createArming();

/** Disarms the answers when the set of requests changes; the result ends it. */
export function followRequests(): () => void {
  let before = '';
  return effect(() => {
    const now = pendingNodes.value.map(({ id, code }) => `${id} ${code}`).join();
    if (now !== before) arming.disarm();
    before = now;
  });
}
