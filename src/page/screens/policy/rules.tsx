import { useState } from 'preact/hooks';
import type { RulesAnswer } from '../../../wire/methods/rules-methods.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { EntryArguments } from '../../components/entry-facts.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { peekServerNow } from '../../state/clock.ts';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { useRulesVersion } from '../../state/rules-version.ts';
import { call } from '../../state/server.ts';
import { ageText } from '../../text/times.ts';
import { AddRule } from './add-rule.tsx';
import { RemoveRule } from './remove-rule.tsx';
import type { RuleRow } from './rule-row.ts';

const STALE_MS = 30 * 86_400_000;

/** The approvals file: what may run without a question. Each change is made on the revision that is shown. */
export function Rules() {
  const { value: rules, error, set } = useLoaded('rules', (signal) => call('rules.get', {}, signal), useRulesVersion());
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [open, setOpen] = useState<'add' | RuleRow | undefined>(undefined);
  const show = (shown: 'add' | RuleRow | undefined): void => {
    setProblem(undefined);
    setOpen(shown);
  };
  /** A refused change keeps the dialog with what the person typed; it can be sent again on the current revision. */
  const answered = (answer: RulesAnswer): void => {
    set(answer.current);
    if (answer.ok) show(undefined);
    else setProblem(answer.message);
  };
  const dialog = {
    revision: rules?.revision ?? '',
    problem,
    onDone: answered,
    onClose: () => show(undefined),
  };
  return (
    <section class="card">
      <header>
        <h2>Allowed without a question</h2>
        {rules === undefined ? undefined : <CodeText text={rules.path} />}
        <span class="grow" />
        <Button blocked={writeBlocked.value} onPress={() => show('add')}>
          Add entry…
        </Button>
      </header>
      {error === undefined ? undefined : <FaultNote error={error} />}
      {rules?.broken === undefined ? undefined : (
        <Callout tone="no" icon="warn">
          The file is invalid, so all commands are denied: <HostileText text={rules.broken} />
        </Callout>
      )}
      {rules === undefined ? undefined : rules.allowlist.length === 0 ? (
        <div class="card-body">
          <p class="note">No entry: each command that is judged asks, except for safe programs that only read stdin.</p>
        </div>
      ) : (
        <Table label="Allowlist" columns={columnsOf(show)} rows={rules.allowlist} keyOf={keyOf} />
      )}
      {rules?.remarks.map((remark) => (
        <p key={remark} class="note card-body">
          <HostileText text={remark} />
        </p>
      ))}
      {rules !== undefined && open === 'add' ? <AddRule {...dialog} /> : undefined}
      {rules !== undefined && typeof open === 'object' ? <RemoveRule row={open} {...dialog} /> : undefined}
    </section>
  );
}

function keyOf({ agent, entry }: RuleRow): string {
  return entry.id ?? JSON.stringify([agent, entry]);
}

function columnsOf(remove: (row: RuleRow) => void): readonly Column<RuleRow>[] {
  return [
    {
      name: 'Program',
      cell: ({ entry }) => (
        <>
          <CodeText text={entry.pattern} />
          {entry.reason === undefined ? undefined : (
            <div class="note">
              <HostileText text={entry.reason} />
            </div>
          )}
        </>
      ),
    },
    {
      name: 'Arguments',
      cell: ({ entry }) => (
        <>
          <EntryArguments entry={entry} />
          {entry.cwd === undefined ? undefined : (
            <div class="note">
              in <CodeText text={entry.cwd} />
            </div>
          )}
        </>
      ),
    },
    { name: 'Agent', cell: ({ agent }) => (agent === '*' ? 'all agents' : <HostileText text={agent} />) },
    { name: 'Last used', cell: (row) => <LastUse row={row} /> },
    { name: 'Ends', cell: ({ entry, expired }) => endText(entry.expiresAt, expired) },
    {
      name: 'Change',
      narrow: true,
      cell: (row) => (
        <Button kind="quiet" about={row.entry.pattern} blocked={writeBlocked.value} onPress={() => remove(row)}>
          Remove…
        </Button>
      ),
    },
  ];
}

function endText(expiresAt: number | undefined, expired: true | undefined): string {
  if (expiresAt === undefined) return 'never';
  return expired === true ? 'ended' : `in ${ageText(expiresAt - peekServerNow())}`;
}

/** An entry without a use only widens what may run. */
function LastUse({ row }: { readonly row: RuleRow }) {
  const { lastUsedAt } = row.entry;
  if (lastUsedAt === undefined)
    return (
      <Chip tone="ask" icon="clock">
        Never
      </Chip>
    );
  const age = peekServerNow() - lastUsedAt;
  if (age < STALE_MS) return <>{ageText(age)} ago</>;
  return (
    <Chip tone="ask" icon="clock">
      {ageText(age)} ago
    </Chip>
  );
}
