import { useState } from 'preact/hooks';
import type { NodeDetails, NodeRequestInfo } from '../../../wire/nodes/administration.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { CodeText, CommandText, HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { pathTo } from '../../router.ts';
import { peekServerNow } from '../../state/clock.ts';
import { useSubtitle } from '../../state/header.ts';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { nodes } from '../../state/nodes.ts';
import { call } from '../../state/server.ts';
import { personText } from '../../text/person.ts';
import { ageText, clockText } from '../../text/times.ts';
import { ConfirmStep } from './confirm-step.tsx';
import { RemoveDialog, RenameDialog } from './node-dialogs.tsx';
import { StateChip } from './node-table.tsx';
import { offerText, systemText } from './wording.ts';

/** One node: what it offers, who paired it, and what it runs for this gateway. */
export function NodeDetail({ id }: { readonly id: string }) {
  const [open, setOpen] = useState<'rename' | 'remove' | undefined>(undefined);
  useSubtitle('one machine');
  const { value: node, error } = useLoaded(id, (signal) => call('node.show', { node: id }, signal), nodes.value);
  return (
    <div class="column">
      <p>
        <a href="/nodes">All nodes</a>
      </p>
      {error === undefined ? undefined : <FaultNote error={error} />}
      {node === undefined ? undefined : (
        <>
          <section class="card">
            <header>
              <h2>
                <HostileText text={node.name} />
              </h2>
              <StateChip node={node} />
              <span class="grow" />
              {node.state === 'paired' ? (
                <Button about={node.name} blocked={writeBlocked.value} onPress={() => setOpen('rename')}>
                  Rename…
                </Button>
              ) : undefined}
              <Button
                kind="destructive"
                about={node.name}
                blocked={writeBlocked.value}
                onPress={() => setOpen('remove')}
              >
                Remove…
              </Button>
            </header>
            <div class="card-body">
              <ConfirmStep node={node} />
              <Facts node={node} />
              <p class="note">
                Its own configuration and approvals decide what runs there. This gateway can only make them stricter,
                and answer what they ask where node.answers of the node lets it.
              </p>
            </div>
          </section>
          <Requests requests={node.requests ?? []} />
        </>
      )}
      {node !== undefined && open === 'rename' ? (
        <RenameDialog node={node} onClose={() => setOpen(undefined)} />
      ) : undefined}
      {node !== undefined && open === 'remove' ? (
        <RemoveDialog node={node} onClose={() => setOpen(undefined)} />
      ) : undefined}
    </div>
  );
}

function Facts({ node }: { readonly node: NodeDetails }) {
  const now = peekServerNow();
  return (
    <dl class="facts">
      <dt>Id</dt>
      <dd>
        <CodeText text={node.id} />
      </dd>
      <dt>System</dt>
      <dd>
        {systemText(node)}, Pincer <HostileText text={node.version} />
      </dd>
      <dt>Offers</dt>
      <dd>{offerText(node)}</dd>
      <dt>Workspace</dt>
      <dd>{node.offer.workspace === undefined ? 'not named' : <CodeText text={node.offer.workspace} />}</dd>
      <dt>Paired</dt>
      <dd>
        {node.pairedAt === undefined ? 'no' : clockText(node.pairedAt, now)}
        {node.pairedBy === undefined ? undefined : (
          <>
            {' '}
            by <HostileText text={personText(node.pairedBy)} />
          </>
        )}
      </dd>
      <dt>Connected</dt>
      <dd>
        {node.connectedAt === undefined ? 'no' : `for ${ageText(now - node.connectedAt)}`}
        {node.remote === undefined ? undefined : (
          <>
            {' '}
            from <CodeText text={node.remote} />
          </>
        )}
      </dd>
    </dl>
  );
}

const REQUEST_STATES = { sent: 'Not confirmed', asked: 'Waits for approval', running: 'Running' } as const;

function SessionLink({ id }: { readonly id: string }) {
  return (
    <a href={pathTo('sessions', id)}>
      <HostileText text={id} />
    </a>
  );
}

const COLUMNS: readonly Column<NodeRequestInfo>[] = [
  { name: 'State', cell: ({ state, killWanted }) => (killWanted ? 'To be killed' : REQUEST_STATES[state]) },
  { name: 'Command', cell: ({ command }) => <CommandText text={command} /> },
  { name: 'Agent', cell: ({ agent }) => <HostileText text={agent} /> },
  {
    name: 'Session',
    cell: ({ session, state }) => (state === 'running' ? <SessionLink id={session} /> : '–'),
  },
  { name: 'Sent', narrow: true, cell: ({ sentAt }) => `${ageText(peekServerNow() - sentAt)} ago` },
];

function Requests({ requests }: { readonly requests: readonly NodeRequestInfo[] }) {
  return (
    <section class="card">
      <header>
        <h2>Open requests</h2>
      </header>
      {requests.length === 0 ? (
        <div class="card-body">
          <p class="note">None.</p>
        </div>
      ) : (
        <Table label="Open requests" columns={COLUMNS} rows={requests} keyOf={({ key }) => key} />
      )}
    </section>
  );
}
