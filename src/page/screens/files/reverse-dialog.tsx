import { useState } from 'preact/hooks';
import { check } from '../../../wire/schema.ts';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Diff } from '../../components/diff.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { CallError, isLinkFault } from '../../socket/calls.ts';
import { writeBlocked } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { toast } from '../../state/toasts.ts';
import { conflictDetails, type RecordedChange, reversalDetails } from './answers.ts';
import { loadChanges } from './changes-state.ts';
import { callTool } from './operator-tool.ts';
import { filesText } from './wording.ts';

export type ReverseAction = 'undo' | 'redo';

interface ReverseDialogProps {
  readonly action: ReverseAction;
  readonly change: RecordedChange;
  readonly onClose: () => void;
}

const WORDS = {
  undo: {
    title: 'Undo this change?',
    refused: 'This change cannot be undone',
    button: 'Undo',
    done: 'Undone. It can be redone in Changes.',
  },
  redo: { title: 'Redo this change?', refused: 'This change cannot be redone', button: 'Redo', done: 'Redone.' },
} as const;

/** Shows what an undo would write, or why it is refused, before anything is written. */
export function ReverseDialog({ action, change, onClose }: ReverseDialogProps) {
  const [failure, setFailure] = useState<unknown>(undefined);
  const { value, error } = useLoaded(
    `${action} ${change.id}`,
    async (signal) =>
      (await callTool('changes', { action, id: change.id, dryRun: true }, reversalDetails, signal)).details,
  );
  const { title, refused, button, done } = WORDS[action];
  const problem = failure ?? error;
  const isRefused = problem !== undefined && !isLinkFault(problem);
  const submit = async (): Promise<void> => {
    setFailure(undefined);
    try {
      await callTool('changes', { action, id: change.id }, reversalDetails);
      toast(done);
      onClose();
      await loadChanges();
    } catch (refusal) {
      setFailure(refusal);
    }
  };
  const notReady = value === undefined ? 'The change is being checked.' : undefined;
  return (
    <Dialog
      title={isRefused ? refused : title}
      onClose={onClose}
      class="wide-dialog"
      action={
        isRefused
          ? undefined
          : { kind: 'main', text: button, blocked: writeBlocked.value ?? notReady, onPress: () => void submit() }
      }
    >
      <p class="note">
        <HostileText text={filesText(change)} /> · <CodeText text={change.id} />
      </p>
      {problem === undefined ? undefined : <Refusal action={action} error={problem} />}
      {isRefused || value === undefined ? undefined : (
        <>
          <p>
            The files are as this change left them. {action === 'undo' ? 'The undo' : 'The redo'} is recorded as a
            separate change.
          </p>
          <div class="card">
            <Diff text={value.diff ?? ''} label="What would be written" />
          </div>
        </>
      )}
    </Dialog>
  );
}

/** A file changed since: the reason names it, and shows what changed. */
function Refusal({ action, error }: { readonly action: ReverseAction; readonly error: unknown }) {
  const conflicts = conflictsOf(error);
  if (conflicts.length === 0) return <FaultNote error={error} />;
  return (
    <>
      <Callout tone="no" icon="warn" role="alert">
        <b>
          <HostileText text={(error as CallError).message} />
        </b>
        <span class="note">
          Nothing was written. {action === 'undo' ? 'An undo' : 'A redo'} never overwrites later work.
        </span>
      </Callout>
      {conflicts.map(({ path, later = [], since }) => (
        <section key={path} class="conflict">
          <h3>
            <HostileText text={path} />
          </h3>
          <p class="note">
            <HostileText
              text={later.length === 0 ? 'Changed since by another program.' : `Changed since by ${later.join(', ')}.`}
            />
          </p>
          {since === '' ? undefined : (
            <div class="card">
              <Diff text={since} label={`Changes of ${path} since`} />
            </div>
          )}
        </section>
      ))}
    </>
  );
}

function conflictsOf(error: unknown) {
  if (!(error instanceof CallError)) return [];
  try {
    return check(conflictDetails, error.details ?? {}, 'details').conflicts ?? [];
  } catch {
    return []; // of another shape: the message says it all
  }
}
