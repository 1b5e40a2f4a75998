import { useState } from 'preact/hooks';
import type { RulesAnswer } from '../../../wire/methods/rules-methods.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EntryFacts } from '../../components/entry-facts.tsx';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { RefusedChange } from './refused-change.tsx';
import type { RuleRow } from './rule-row.ts';

interface RemoveRuleProps {
  readonly row: RuleRow;
  readonly revision: string;
  /** Why the last try was refused. */
  readonly problem: string | undefined;
  readonly onDone: (answer: RulesAnswer) => void;
  readonly onClose: () => void;
}

export function RemoveRule({ row, revision, problem, onDone, onClose }: RemoveRuleProps) {
  const [error, setError] = useState<unknown>(undefined);
  const { agent, entry } = row;
  const submit = (): void => {
    const change = { kind: 'remove', agent, entry: entry.id ?? entry.pattern } as const;
    call('rules.set', { change, revision }).then(onDone, setError);
  };
  return (
    <Dialog
      title="Remove entry"
      onClose={onClose}
      action={{ kind: 'destructive', text: 'Remove', blocked: writeBlocked.value, onPress: submit }}
    >
      <div class="entry">
        <EntryFacts entry={entry} />
      </div>
      <p class="note">Commands that only this entry allows ask again.</p>
      {problem === undefined ? undefined : <RefusedChange problem={problem} />}
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}
