import { useSignal } from '@preact/signals';
import { Button } from '../../components/button.tsx';
import { Callout } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/fields.tsx';
import { ShortCommand } from '../../components/hostile-text.tsx';
import type { AnswerDialogProps } from './answers.ts';

const SUGGESTIONS = ['ask me in the chat first', 'not on this machine'];
const SHOWN_LENGTH = 500;
const LONGEST_REASON = 2000;

/** The reason goes back to the agent. */
export function DenyDialog({ approval, blocked, onAnswer, onClose, children }: AnswerDialogProps) {
  const reason = useSignal(''); // a state would lag behind the last key by one frame
  const submit = (): void => {
    const text = reason.peek().trim();
    onAnswer(text === '' ? {} : { reason: text });
  };
  return (
    <Dialog
      title="Deny"
      onClose={onClose}
      action={{ kind: 'destructive', text: 'Deny', shortcut: 'Enter', blocked, onPress: submit }}
    >
      <Callout tone="plain" icon="sessions">
        <ShortCommand text={approval.binding.command} length={SHOWN_LENGTH} />
      </Callout>
      <TextField
        label="Why not, and what to do instead"
        note="Optional. The agent gets this text unchanged. Shift+Enter: new line."
        value={reason.value}
        maxLength={LONGEST_REASON}
        multiline
        enterSubmits
        autofocus
        onInput={(text) => {
          reason.value = text;
        }}
      />
      <div class="row">
        {SUGGESTIONS.map((text) => (
          <Button
            key={text}
            onPress={() => {
              reason.value = text;
            }}
          >
            {text}
          </Button>
        ))}
      </div>
      {children}
    </Dialog>
  );
}
