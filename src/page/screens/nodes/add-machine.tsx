import { useState } from 'preact/hooks';
import type { IssuedInvitation } from '../../../wire/nodes/administration.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Snippet } from '../../components/copy.tsx';
import { TimeLeft } from '../../components/countdown.tsx';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';

/** How another machine is paired: by an invitation, or by comparing digits. */
export function AddMachine() {
  const { value: status, error: loadError } = useLoaded('status', (signal) => call('daemon.status', {}, signal));
  const [invitation, setInvitation] = useState<IssuedInvitation | undefined>(undefined);
  const [inviteError, setInviteError] = useState<unknown>(undefined);
  const error = inviteError ?? loadError;
  const invite = (): void => {
    setInviteError(undefined);
    call('node.invite', {}).then(setInvitation, setInviteError);
  };
  return (
    <section class="card">
      <header>
        <h2>Add a machine</h2>
      </header>
      <div class="card-body">
        {error === undefined ? undefined : <FaultNote error={error} />}
        {status !== undefined && status.nodes === undefined ? (
          <NotListening />
        ) : (
          <>
            <div class="row">
              <Button blocked={writeBlocked.value} onPress={invite}>
                Create an invitation
              </Button>
              <span class="note">It pairs one machine within ten minutes, and proves each end to the other.</span>
            </div>
            {invitation === undefined ? undefined : <Invitation invitation={invitation} />}
            {status?.nodes === undefined ? undefined : (
              <>
                <p>Or compare digits. Run this on the other machine, and compare both screens:</p>
                <Snippet text={`pincer node pair --gateway ${status.nodes.url}`} />
              </>
            )}
          </>
        )}
      </div>
    </section>
  );
}

function Invitation({ invitation }: { readonly invitation: IssuedInvitation }) {
  return (
    <>
      <p>
        Run this on the other machine, then paste the invitation (<TimeLeft expiresAt={invitation.expiresAt} />
        ):
      </p>
      <Snippet text="pincer node run --invitation -" />
      <Snippet text={invitation.invitation} />
    </>
  );
}

function NotListening() {
  return (
    <>
      <Callout tone="plain" icon="off">
        This server does not listen for nodes. Set an address of this machine, stop the server, then start{' '}
        <code>pincer gateway</code>.
      </Callout>
      <Snippet text="pincer config set nodes.listen 127.0.0.1:7463" />
    </>
  );
}
