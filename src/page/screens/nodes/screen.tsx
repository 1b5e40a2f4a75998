import { useEffect } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state.tsx';
import { place } from '../../router.ts';
import { useSubtitle } from '../../state/header.ts';
import { link } from '../../state/link.ts';
import { nodes, nodesLoaded, pendingNodes } from '../../state/nodes.ts';
import { refreshNodes } from '../../state/server.ts';
import { AddMachine } from './add-machine.tsx';
import { Binding } from './binding.tsx';
import { ConfirmStep } from './confirm-step.tsx';
import { NodeDetail } from './node-detail.tsx';
import { NodeTable } from './node-table.tsx';
import './nodes.css';
import { followRequests } from './pairing-arming.ts';
import { PairingRequest } from './pairing-request.tsx';

/** A notice about a lost connection comes after a minute; a person who looks at the list wants to see it at once. */
const REFRESH_MS = 2_000;

export default function NodesScreen() {
  const id = place.value.segments[1];
  useEffect(refresh, []);
  useEffect(followRequests, []);
  return id === undefined ? <AllNodes /> : <NodeDetail key={id} id={id} />;
}

/** Keeps the list current while the screen is shown. */
function refresh(): () => void {
  const load = (): void => {
    if (link.peek().kind !== 'live' || document.visibilityState !== 'visible') return;
    void refreshNodes();
  };
  load(); // the list is from the start of the page, and a connection may be lost since then
  const timer = setInterval(load, REFRESH_MS);
  return () => clearInterval(timer);
}

function AllNodes() {
  const known = nodes.value.filter(({ state }) => state !== 'pending');
  const paired = known.filter(({ state }) => state === 'paired');
  const online = paired.filter(({ connected }) => connected).length;
  useSubtitle(paired.length === 0 ? '' : `${online} of ${paired.length} online`);
  return (
    <div class="column">
      {pendingNodes.value.map((node) => (
        <PairingRequest key={node.id} node={node} />
      ))}
      {paired.map((node) => (
        <ConfirmStep key={node.id} node={node} />
      ))}
      {!nodesLoaded.value ? undefined : known.length > 0 ? (
        <NodeTable nodes={known} />
      ) : (
        <div class="card">
          <EmptyState icon="nodes" title="No machine is paired">
            A paired machine runs commands of your agents by its own rules. Invite one below.
          </EmptyState>
        </div>
      )}
      <Binding />
      <AddMachine />
    </div>
  );
}
