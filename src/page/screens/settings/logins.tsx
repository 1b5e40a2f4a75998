import { useEffect, useState } from 'preact/hooks';
import type { Login, Role } from '../../../wire/page/login.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Snippet } from '../../components/copy.tsx';
import { TimeLeft } from '../../components/countdown.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { peekServerNow } from '../../state/clock.ts';
import { onEvents } from '../../state/events.ts';
import { linkBlocked, login, writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call, logOut } from '../../state/server.ts';
import { ageText } from '../../text/times.ts';
import { browserName } from '../../../wire/page/browser-name.ts';
import { RevokeDialog } from './revoke-dialog.tsx';

interface NewLink {
  readonly role: Role;
  readonly url: string;
  readonly expiresAt: number;
}

/** The browsers that are logged in, and links for others. */
export function Logins() {
  const { value: all = [], error: loadError, reload } = useLoaded('logins', (signal) => call('login.list', {}, signal));
  const [writeError, setWriteError] = useState<unknown>(undefined);
  const error = writeError ?? loadError;
  const [made, setMade] = useState<NewLink | undefined>(undefined);
  const [revoking, setRevoking] = useState<Login | undefined>(undefined);
  const own = login.value?.id;
  useEffect(
    () =>
      onEvents({
        event: (event) => event.type === 'audit' && event.entry.event === 'login' && reload(),
        reset: reload,
      }),
    [],
  );
  const create = (role: Role): void => {
    setWriteError(undefined);
    call('login.link', { role }).then(
      ({ code, expiresAt }) =>
        setMade({ role, expiresAt, url: `${location.origin}/login?${new URLSearchParams({ code })}` }),
      setWriteError,
    );
  };
  const revoke = (login: Login): void => (login.id === own ? logOut() : setRevoking(login));
  return (
    <section class="card">
      <header>
        <h2>Browsers</h2>
        <span class="grow" />
        <Button blocked={writeBlocked.value} onPress={() => create('viewer')}>
          Link for a viewer
        </Button>
        <Button blocked={writeBlocked.value} onPress={() => create('operator')}>
          Link for an operator
        </Button>
      </header>
      {error === undefined ? undefined : <FaultNote error={error} />}
      {made === undefined ? undefined : (
        <div class="card-body">
          <Callout tone="ask" icon="warn">
            The first person who opens this link becomes {made.role === 'operator' ? 'an operator' : 'a viewer'}. It
            works once (
            <TimeLeft expiresAt={made.expiresAt} />
            ).
          </Callout>
          <Snippet text={made.url} />
          {isLoopback(location.hostname) ? (
            <p class="note">
              It works on this machine. Another one forwards the port first:{' '}
              <code>{`ssh -L ${location.port}:127.0.0.1:${location.port} <this machine>`}</code>
            </p>
          ) : undefined}
        </div>
      )}
      <Table label="Browsers" columns={columnsOf(own, revoke)} rows={all} keyOf={({ id }) => id} />
      {revoking === undefined ? undefined : (
        <RevokeDialog
          login={revoking}
          onDone={() => {
            setRevoking(undefined);
            reload();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </section>
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.startsWith('127.');
}

function columnsOf(own: string | undefined, revoke: (login: Login) => void): readonly Column<Login>[] {
  return [
    {
      name: 'Person',
      cell: ({ id, name }) => (
        <>
          <HostileText text={name} />
          {id === own ? <span class="note"> (this browser)</span> : undefined}
        </>
      ),
    },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Browser', cell: ({ browser = 'unknown' }) => <HostileText text={browserName(browser)} /> },
    { name: 'Logged in', narrow: true, cell: ({ createdAt }) => `${ageText(peekServerNow() - createdAt)} ago` },
    {
      name: 'Last seen',
      narrow: true,
      cell: ({ id, lastSeenAt }) => (id === own ? 'now' : `${ageText(peekServerNow() - lastSeenAt)} ago`),
    },
    {
      name: 'Change',
      narrow: true,
      cell: (one) => (
        <Button
          kind="quiet"
          about={one.name}
          blocked={one.id === own ? linkBlocked.value : writeBlocked.value}
          onPress={() => revoke(one)}
        >
          {one.id === own ? 'Log out' : 'Revoke…'}
        </Button>
      ),
    },
  ];
}
