import type { NodeInfo } from '../../../wire/nodes/node.ts';
import { Chip } from '../../components/chip.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { pathTo } from '../../router.ts';
import { serverNow } from '../../state/clock.ts';
import { runningSessions } from '../../state/sessions.ts';
import { nodeState, offerText, systemText } from './wording.ts';

const SHORT_ID = 12;

export function NodeTable({ nodes }: { readonly nodes: readonly NodeInfo[] }) {
  return (
    <div class="card">
      <Table label="Nodes" columns={COLUMNS} rows={nodes.toSorted(pairedFirst)} keyOf={({ id }) => id} />
    </div>
  );
}

function pairedFirst(a: NodeInfo, b: NodeInfo): number {
  return Number(b.state === 'paired') - Number(a.state === 'paired') || (a.name < b.name ? -1 : 1);
}

export function StateChip({ node }: { readonly node: NodeInfo }) {
  const { tone, icon, text } = nodeState(node, serverNow());
  return (
    <Chip tone={tone} icon={icon}>
      {text}
    </Chip>
  );
}

const COLUMNS: readonly Column<NodeInfo>[] = [
  {
    name: 'Node',
    cell: ({ id, name }) => (
      <>
        <a class="plain-link" href={pathTo('nodes', id)}>
          <b>
            <HostileText text={name} />
          </b>
        </a>
        <div class="note">
          <CodeText text={id.slice(0, SHORT_ID)} />
        </div>
      </>
    ),
  },
  { name: 'State', cell: (node) => <StateChip node={node} /> },
  {
    name: 'System',
    cell: (node) => (
      <>
        {systemText(node)}
        <div class="note">
          <HostileText text={node.version} />
        </div>
      </>
    ),
  },
  { name: 'Offers', cell: (node) => offerText(node) },
  {
    name: 'Workspace',
    cell: ({ offer }) => (offer.workspace === undefined ? '–' : <CodeText text={offer.workspace} />),
  },
  {
    name: 'Running',
    narrow: true,
    cell: ({ id }) => runningSessions.value.filter(({ node }) => node?.id === id).length,
  },
];
