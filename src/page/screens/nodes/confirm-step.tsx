import { signal } from '@preact/signals';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { Callout } from '../../components/callout.tsx';
import { Snippet } from '../../components/copy.tsx';
import { HostileText } from '../../components/hostile-text.tsx';

/** The digits of nodes that were paired on this page, by id: the next step needs them, and the server forgets them. */
const digits = signal<ReadonlyMap<string, string>>(new Map());

export function keepDigits(id: string, code: string): void {
  digits.value = new Map(digits.peek()).set(id, code);
}

/** The last step of a pairing by digits: it is done on the other machine. */
export function ConfirmStep({ node: { id, name, offer } }: { readonly node: NodeInfo }) {
  if (offer.unconfirmed !== true) return undefined;
  const code = digits.value.get(id);
  return (
    <div class="confirm-step">
      <Callout tone="ask" icon="warn">
        <b>
          Node <HostileText text={name} /> is paired, but not confirmed on that machine.
        </b>
        <span class="note">
          Until then, each command needs an answer on that machine, and it offers no files. Run there
          {code === undefined ? ', with the digits that it was paired with' : ''}:
        </span>
      </Callout>
      <Snippet text={`pincer node confirm ${code ?? '<digits>'}`} />
    </div>
  );
}
