import { nodes } from '../../state/nodes.ts';
import { hiddenAsNames } from '../../text/pieces.ts';
import { shortened } from '../../text/shortened.ts';
import type { BindingRow } from './binding-row.ts';

interface BindingChoiceProps {
  readonly row: BindingRow;
  /** Undefined: none is set. */
  readonly chosen: string | undefined;
  readonly blocked: string | undefined;
  readonly onChange: (node: string | undefined) => void;
}

const NONE = '';
/** Of an id in the select; what happens now is said with all of it. */
const ID_LENGTH = 8;

/** The id of a node that the setting names by its id or its name; what it names otherwise. */
export function idOf(node: string): string {
  const paired = nodes.value.filter(({ state }) => state === 'paired');
  return paired.find(({ id, name }) => id === node || name === node)?.id ?? node;
}

/** Paired nodes by id, because a name can be given to another machine later; the current value also where it means none. */
export function BindingChoice({ row, chosen, blocked, onChange }: BindingChoiceProps) {
  const { agent, node } = row;
  const paired = nodes.value.filter(({ state }) => state === 'paired');
  const isPaired = node === undefined || paired.some(({ id }) => id === idOf(node));
  const label = agent === undefined ? 'Default node' : `Node of agent ${hiddenAsNames(agent)}`;
  return (
    <select
      aria-label={label}
      value={chosen ?? NONE}
      disabled={blocked !== undefined}
      title={blocked}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(value === NONE ? undefined : value);
      }}
    >
      <option value={NONE}>{agent === undefined ? 'The only connected one' : 'As the default'}</option>
      {paired.map(({ id, name, connected }) => (
        <option key={id} value={id}>
          {hiddenAsNames(connected ? name : `${name} (offline)`)}
        </option>
      ))}
      {isPaired ? undefined : <option value={node}>{hiddenAsNames(goneText(node))}</option>}
    </select>
  );
}

/** A bound node that is not paired any more. Where its name is forgotten, the start of its id says which one it was. */
function goneText(node: string): string {
  const known = nodes.value.find(({ id, name }) => id === node || name === node);
  if (known?.state === 'revoked') return `${known.name} (removed)`;
  return `${known?.name ?? startOf(node)} (not paired)`;
}

function startOf(id: string): string {
  return id.length > ID_LENGTH ? `${shortened(id, ID_LENGTH)}…` : id;
}
