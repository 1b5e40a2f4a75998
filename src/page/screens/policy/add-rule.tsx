import { useState } from 'preact/hooks';
import type { RulesAnswer } from '../../../wire/methods/rules-methods.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { agents } from '../../state/agents.ts';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { RefusedChange } from './refused-change.tsx';

interface AddRuleProps {
  readonly revision: string;
  /** Why the last try was refused. */
  readonly problem: string | undefined;
  readonly onDone: (answer: RulesAnswer) => void;
  readonly onClose: () => void;
}

/** An entry by program and the first words of its arguments. Wider forms are made in the file. */
export function AddRule({ revision, problem, onDone, onClose }: AddRuleProps) {
  const [pattern, setPattern] = useState('');
  const [args, setArgs] = useState('');
  const [agent, setAgent] = useState('*');
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const submit = (): void => {
    const prefixes = args.split(',').flatMap((part) => part.trim() || []);
    const entry = {
      pattern: pattern.trim(),
      ...(prefixes.length === 0 ? {} : { args: prefixes }),
      ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    };
    call('rules.set', { change: { kind: 'add', agent, entry }, revision }).then(onDone, setError);
  };
  const missing = pattern.trim() === '' ? 'Name the program by its absolute path.' : undefined;
  return (
    <Dialog
      title="Add entry"
      onClose={onClose}
      action={{ kind: 'main', text: 'Add', blocked: writeBlocked.value ?? missing, onPress: submit }}
    >
      <TextField
        label="Program"
        note="The absolute path. A name alone matches nothing."
        placeholder="/usr/bin/git"
        value={pattern}
        autofocus
        onInput={setPattern}
      />
      <TextField
        label="Arguments begin with"
        note="Separate several with commas. Empty allows any arguments."
        placeholder="log, status, diff --stat"
        value={args}
        onInput={setArgs}
      />
      <SelectField
        label="For"
        value={agent}
        options={[{ value: '*', text: 'all agents' }, ...agents.value.map((value) => ({ value, text: value }))]}
        onChange={setAgent}
      />
      <TextField label="Why" note="Optional. Shown when the entry decides." value={reason} onInput={setReason} />
      {problem === undefined ? undefined : <RefusedChange problem={problem} />}
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}
