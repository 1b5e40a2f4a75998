import { useEffect, useState } from 'preact/hooks';
import type { BindingAnswer, ExecBindings } from '../../../wire/nodes/binding.ts';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { ConfigChange } from '../../components/config-change.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { wholeSentence } from '../../text/sentences.ts';
import type { BindingRow } from './binding-row.ts';

interface BindDialogProps {
  readonly row: BindingRow;
  /** Undefined removes the setting. */
  readonly node: string | undefined;
  /** Of the state that the person saw. */
  readonly revision: string;
  /** What the panel shows is not the current state. */
  readonly onCurrent: (current: ExecBindings) => void;
  readonly onWritten: () => void;
  readonly onClose: () => void;
}

interface Preview {
  readonly answer: Extract<BindingAnswer, { ok: true }>;
  readonly revision: string;
}

/** Shows the change as a diff, and writes exactly that: a file that changed since is refused, and the new diff is shown. */
export function BindDialog({ row, node, revision, onCurrent, onWritten, onClose }: BindDialogProps) {
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const [conflict, setConflict] = useState<string | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const send = (on: string, dryRun: boolean): Promise<BindingAnswer> =>
    call('binding.set', {
      revision: on,
      dryRun,
      ...(row.agent === undefined ? {} : { agent: row.agent }),
      ...(node === undefined ? {} : { node }),
    });
  const load = async (on: string): Promise<void> => {
    const answer = await send(on, true);
    onCurrent(answer.current);
    if (answer.ok) return setPreview({ answer, revision: on });
    setConflict(answer.message);
    await load(answer.current.revision);
  };
  const write = async (on: string): Promise<void> => {
    const answer = await send(on, false);
    onCurrent(answer.current);
    if (!answer.ok) {
      setConflict(answer.message);
      return load(answer.current.revision);
    }
    toast(answer.changed ? `Saved: ${answer.path}` : 'Nothing to change');
    onWritten();
  };
  const attempt = (work: Promise<void>): void => {
    setError(undefined);
    work.catch(setError);
  };
  useEffect(() => attempt(load(revision)), []);
  const notReady = preview === undefined ? 'The change is being checked.' : undefined;
  return (
    <Dialog
      title="Save the binding?"
      onClose={onClose}
      action={{
        kind: 'main',
        text: 'Write',
        blocked: writeBlocked.value ?? notReady,
        onPress: () => preview !== undefined && attempt(write(preview.revision)),
      }}
    >
      {conflict === undefined ? undefined : (
        <Callout tone="no" icon="warn" role="alert">
          <b>Not saved.</b> <HostileText text={wholeSentence(conflict)} /> This is your change, applied to the current
          file.
        </Callout>
      )}
      {preview === undefined ? <p class="note">Checking the change…</p> : <ConfigChange {...preview.answer} />}
      {error === undefined ? undefined : <FaultNote error={error} />}
    </Dialog>
  );
}
