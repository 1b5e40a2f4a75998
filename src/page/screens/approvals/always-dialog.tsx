import { useSignal } from '@preact/signals';
import type { Narrowing } from '../../../wire/approval.ts';
import { whereText } from '../../components/actor.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EntryFacts } from '../../components/entry-facts.tsx';
import { RadioField, TextField } from '../../components/fields.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { peekServerNow } from '../../state/clock.ts';
import type { AnswerDialogProps } from './answers.ts';
import { type End, ENDS, endTime } from './entry-end.ts';

const LONGEST_REASON = 1000;

/** Shows what would be stored. The person can only tighten it. */
export function AlwaysDialog({ approval, blocked, onAnswer, onClose, children }: AnswerDialogProps) {
  const end = useSignal<End>('never');
  const reason = useSignal('');
  const { binding, node, wouldStore } = approval;
  const submit = (): void => {
    const expiresAt = endTime(end.peek(), peekServerNow());
    const narrow: Narrowing = {
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(reason.peek().trim() === '' ? {} : { reason: reason.peek().trim() }),
    };
    onAnswer(Object.keys(narrow).length === 0 ? {} : { narrow });
  };
  return (
    <Dialog
      title="Allow from now on"
      onClose={onClose}
      besides={
        <a class="button quiet" href="/policy" onClick={onClose}>
          Wider rules in Policy
        </a>
      }
      action={{ kind: 'main', text: 'Store and run', blocked, onPress: submit }}
    >
      <p class="note">
        {wouldStore.length === 1
          ? 'This is the narrowest entry that covers the command. It is stored'
          : `These ${wouldStore.length} entries are the narrowest that cover the command. They are stored`}{' '}
        for agent <b>{<HostileText text={binding.agent} />}</b> on{' '}
        <HostileText text={whereText({ host: binding.host, node })} />.
      </p>
      {wouldStore.map((entry, i) => (
        <div key={i} class="entry">
          <EntryFacts entry={entry} />
        </div>
      ))}
      <RadioField
        label="Expires"
        options={ENDS}
        value={end.value}
        onChange={(value) => {
          end.value = value;
        }}
      />
      <TextField
        label="Reason, kept with the entry"
        value={reason.value}
        maxLength={LONGEST_REASON}
        autofocus
        onInput={(text) => {
          reason.value = text;
        }}
      />
      {children}
    </Dialog>
  );
}
