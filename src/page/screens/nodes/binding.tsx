import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { Warnings } from '../../components/config-change.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { nodes } from '../../state/nodes.ts';
import { call } from '../../state/server.ts';
import { wholeSentence } from '../../text/sentences.ts';
import { BindDialog } from './bind-dialog.tsx';
import { BindingChoice, idOf } from './binding-choice.tsx';
import type { BindingRow } from './binding-row.ts';

const FINE = { tone: 'ok', icon: 'ok' } as const;
const WARNING = { tone: 'ask', icon: 'warn' } as const;

type Drafts = Readonly<Record<string, string | undefined>>;

/** The panel writes the same setting as `pincer config set`, on the revision that is shown. A choice is a draft until it is saved. */
export function Binding() {
  const [drafts, setDrafts] = useState<Drafts>({});
  const [saving, setSaving] = useState<BindingRow | undefined>(undefined);
  const states = nodes.value.map(({ id, name, state, connected }) => `${id} ${name} ${state} ${connected}`).join();
  const { value: bindings, error, set } = useLoaded('bindings', (signal) => call('binding.get', {}, signal), states);
  const rows: readonly BindingRow[] = bindings === undefined ? [] : [bindings.default, ...bindings.agents];
  const columns = columnsOf({
    drafts,
    choose: (row, node) => setDrafts((now) => ({ ...now, [keyOf(row)]: node })),
    save: setSaving,
  });
  return (
    <section class="card binding" aria-labelledby="binding-title">
      <header>
        <h2 id="binding-title">Exec node binding</h2>
        <span class="note">where host=node runs</span>
      </header>
      {error === undefined ? undefined : <FaultNote error={error} />}
      <Warnings warnings={bindings?.warnings ?? []} />
      <Table label="Exec node binding" columns={columns} rows={rows} keyOf={({ path }) => path} />
      {bindings !== undefined && saving !== undefined ? (
        <BindDialog
          row={saving}
          node={chosenIn(drafts, saving)}
          revision={bindings.revision}
          onCurrent={set}
          onWritten={() => {
            setSaving(undefined);
            setDrafts((now) => Object.fromEntries(Object.entries(now).filter(([key]) => key !== keyOf(saving))));
          }}
          onClose={() => setSaving(undefined)}
        />
      ) : undefined}
    </section>
  );
}

function keyOf({ agent }: BindingRow): string {
  return agent === undefined ? 'default' : `agent ${agent}`;
}

function currentIn({ node }: BindingRow): string | undefined {
  return node === undefined ? undefined : idOf(node);
}

function chosenIn(drafts: Drafts, row: BindingRow): string | undefined {
  const key = keyOf(row);
  return Object.hasOwn(drafts, key) ? drafts[key] : currentIn(row);
}

interface RowActions {
  readonly drafts: Drafts;
  readonly choose: (row: BindingRow, node: string | undefined) => void;
  readonly save: (row: BindingRow) => void;
}

function columnsOf({ drafts, choose, save }: RowActions): readonly Column<BindingRow>[] {
  return [
    { name: 'Agent', cell: ({ agent }) => <b>{agent === undefined ? 'Default' : <HostileText text={agent} />}</b> },
    {
      name: 'Node',
      cell: (row) => {
        const chosen = chosenIn(drafts, row);
        const unchanged = chosen === currentIn(row) ? 'Choose another node first.' : undefined;
        return (
          <div class="row">
            <BindingChoice
              row={row}
              chosen={chosen}
              blocked={writeBlocked.value}
              onChange={(node) => choose(row, node)}
            />
            <Button about={row.agent ?? 'Default'} blocked={writeBlocked.value ?? unchanged} onPress={() => save(row)}>
              Save…
            </Button>
          </div>
        );
      },
    },
    {
      name: 'What happens now',
      cell: ({ choice: { ok, isOpen, sentence } }) => (
        <Chip {...(ok && !isOpen ? FINE : WARNING)}>
          <span>
            <HostileText text={wholeSentence(sentence)} />
          </span>
        </Chip>
      ),
    },
    {
      name: 'Setting',
      cell: ({ ocPath, node }) => (
        <>
          <CodeText text={ocPath} />
          {node === undefined ? <div class="note">not set</div> : undefined}
        </>
      ),
    },
  ];
}
