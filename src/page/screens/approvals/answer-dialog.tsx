import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { place } from '../../router.ts';
import { approvals } from '../../state/approvals.ts';
import { writeBlocked } from '../../state/link.ts';
import { AlwaysDialog } from './always-dialog.tsx';
import { answer, type AnswerExtras, answering, ON_ITS_WAY, problem } from './answers.ts';
import { DenyDialog } from './deny-dialog.tsx';
import { answeredText } from './wording.ts';

interface OpenDialog {
  readonly kind: 'always' | 'deny';
  /** As it was shown when the person opened the dialog: the answer is about this. */
  readonly approval: ApprovalInfo;
}

const open = signal<OpenDialog | undefined>(undefined);

export function openDialog(kind: OpenDialog['kind'], approval: ApprovalInfo): void {
  problem.value = undefined;
  open.value = { kind, approval };
}

function close(): void {
  open.value = undefined;
}

/**
 * The dialog of an answer. Nothing but the person and a counted answer closes it: if it went away because the request was answered
 * elsewhere, the rest of a typed reason would be keys of the page, and `a` allows the next request.
 */
export function AnswerDialog() {
  const { path } = place.value;
  useEffect(() => close, [path]); // the person went elsewhere, by the buttons of the browser
  if (open.value === undefined) return undefined;
  const { kind, approval } = open.value;
  const now = approvals.value.get(approval.id) ?? approval;
  const answered = now.state === 'pending' ? undefined : answeredText(now);
  const failed = problem.value?.id === approval.id ? problem.value.error : undefined;
  const onAnswer = async (extras: AnswerExtras): Promise<void> => {
    if (await answer(approval, kind === 'deny' ? 'deny' : 'allow-always', extras)) close();
  };
  const props = {
    approval,
    blocked: writeBlocked.value ?? answered ?? (answering.value === undefined ? undefined : ON_ITS_WAY),
    onAnswer: (extras: AnswerExtras) => void onAnswer(extras),
    onClose: close,
  };
  const notes = (
    <>
      {answered === undefined ? undefined : (
        <Callout tone="ask" icon="person" role="alert">
          <HostileText text={answered} />
        </Callout>
      )}
      {failed === undefined ? undefined : <FaultNote error={failed} />}
    </>
  );
  return kind === 'deny' ? (
    <DenyDialog {...props}>{notes}</DenyDialog>
  ) : (
    <AlwaysDialog {...props}>{notes}</AlwaysDialog>
  );
}
