import { useState } from 'preact/hooks';
import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { TimeLeft } from '../../components/countdown.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { writeBlocked } from '../../state/link.ts';
import { call, loadNodes } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { keepDigits } from './confirm-step.tsx';
import { arming } from './pairing-arming.ts';
import { digitsText, offerText, systemText } from './wording.ts';

const NOT_ARMED = 'The requests have just changed. Look at the digits, then answer.';

/** A machine that waits: a person compares the digits of both screens. */
export function PairingRequest({ node }: { readonly node: NodeInfo }) {
  const [error, setError] = useState<unknown>(undefined);
  const { id, name, code = '', version, remote, expiresAt } = node;
  const blocked = writeBlocked.value ?? (arming.armed.value ? undefined : NOT_ARMED);
  /** The state of the moment decides, not the one of the last drawing. */
  const act = (work: () => Promise<unknown>, done: string): void => {
    if (!arming.isArmed()) {
      toast(NOT_ARMED);
      return;
    }
    setError(undefined);
    work()
      .then(() => loadNodes())
      .then(() => toast(done), setError);
  };
  const approve = async (): Promise<void> => {
    await call('node.approve', { node: code });
    keepDigits(id, code);
  };
  return (
    <section class="card pairing" aria-label={`Pairing request of ${id}`}>
      <div class="digits">
        <span class="note">Digits of this gateway</span>
        <b>{digitsText(code)}</b>
      </div>
      <div class="grow">
        <h2>
          <HostileText text={name} /> wants to pair
        </h2>
        <p class="note">
          {systemText(node)} · <HostileText text={version} />
          {remote === undefined ? undefined : (
            <>
              {' '}
              · from <HostileText text={remote} />
            </>
          )}{' '}
          · offers {offerText(node)}
          {expiresAt === undefined ? undefined : (
            <>
              {' '}
              · <TimeLeft expiresAt={expiresAt} />
            </>
          )}
        </p>
        <p class="note">
          Compare them with the screen of that machine, and pair only where both show the same eight digits. They differ
          when another machine is in between.
        </p>
        {error === undefined ? undefined : <FaultNote error={error} />}
      </div>
      <div class="row">
        <Button
          kind="main"
          about={name}
          blocked={blocked}
          onPress={() => act(approve, 'Paired. One step is left on that machine.')}
        >
          The codes match
        </Button>
        <Button
          kind="destructive"
          about={name}
          blocked={blocked}
          onPress={() => act(() => call('node.reject', { node: id }), 'Rejected')}
        >
          Reject
        </Button>
      </div>
    </section>
  );
}
