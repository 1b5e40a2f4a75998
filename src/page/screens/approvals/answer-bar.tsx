import type { ApprovalInfo } from '../../../wire/approval.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { useKeys } from '../../keys.ts';
import { navigate, pathTo } from '../../router.ts';
import { peekServerNow, serverNow } from '../../state/clock.ts';
import { writeBlocked } from '../../state/link.ts';
import { toast } from '../../state/toasts.ts';
import { shortened } from '../../text/shortened.ts';
import { openDialog } from './answer-dialog.tsx';
import { answer, answering, ON_ITS_WAY } from './answers.ts';
import { alwaysRefusal, nodeRefusal } from './limits.ts';
import { arming } from './selection.ts';
import { answeredAgo, answeredText, stateLabel } from './wording.ts';

const NOT_ARMED = 'The request has just changed. Look at it, then answer.';
const NAMED_LENGTH = 120;

interface AnswerBarProps {
  readonly approval: ApprovalInfo;
  /** Everything is shown. */
  readonly isWhole: boolean;
}

/** Keys and buttons act on the request that is shown, by its id. */
export function AnswerBar({ approval, isWhole }: AnswerBarProps) {
  const explain = (): void => navigate(explainPath(approval));
  return approval.state === 'pending' ? (
    <PendingBar approval={approval} isWhole={isWhole} onExplain={explain} />
  ) : (
    <AnsweredBar approval={approval} onExplain={explain} />
  );
}

interface PendingBarProps extends AnswerBarProps {
  readonly onExplain: () => void;
}

function PendingBar({ approval, isWhole, onExplain }: PendingBarProps) {
  const blocked = blockedReason(approval, isWhole);
  const always = blocked ?? alwaysRefusal(approval);
  /** The state of the moment decides, not the one of the last drawing. */
  const guarded = (refusal: string | undefined, act: () => void): void => {
    const now = arming.isArmed() ? refusal : NOT_ARMED;
    if (now === undefined) act();
    else toast(now);
  };
  const allowOnce = (): void => guarded(blocked, () => void answer(approval, 'allow-once'));
  const openAlways = (): void => guarded(always, () => openDialog('always', approval));
  const openDeny = (): void => guarded(blocked, () => openDialog('deny', approval));
  useKeys({ a: allowOnce, A: openAlways, d: openDeny, e: onExplain });
  const about = shortened(approval.binding.command, NAMED_LENGTH);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the controls of a form
    <div class="answer-bar" role="group" aria-label="Answer">
      <Limits approval={approval} />
      <Button kind="main" shortcut="a" about={about} blocked={blocked} onPress={allowOnce}>
        Allow once
      </Button>
      <Button shortcut="A" about={about} blocked={always} onPress={openAlways}>
        Allow always…
      </Button>
      <Button kind="destructive" shortcut="d" about={about} blocked={blocked} onPress={openDeny}>
        Deny…
      </Button>
      <Button kind="quiet" class="explain" shortcut="e" onPress={onExplain}>
        Explain
      </Button>
    </div>
  );
}

/** What cannot be answered from here, whenever it is tried: a person must not have to press a button to learn it. */
function Limits({ approval }: { readonly approval: ApprovalInfo }) {
  const refusal = nodeRefusal(approval, false);
  const always = alwaysRefusal(approval);
  if (refusal === undefined && always === undefined) return undefined;
  return (
    <p class="note answer-limits">
      <Icon name={refusal === undefined ? 'lock' : 'warn'} />{' '}
      <HostileText text={refusal ?? `“Allow always” is not possible. ${always}`} />
    </p>
  );
}

/** Why no answer is possible now. */
function blockedReason(approval: ApprovalInfo, isWhole: boolean): string | undefined {
  if (writeBlocked.value !== undefined) return writeBlocked.value;
  if (answering.value !== undefined) return ON_ITS_WAY;
  if (!arming.armed.value) return NOT_ARMED;
  const refusal = nodeRefusal(approval, false);
  if (refusal !== undefined) return refusal;
  if (approval.expiresAt <= peekServerNow()) return 'It is too late: the request has expired.';
  return isWhole ? undefined : 'A part of it is not shown. Show everything before you answer.';
}

/** In place of the buttons: who answered, what, and when. */
function AnsweredBar({ approval, onExplain }: { readonly approval: ApprovalInfo; readonly onExplain: () => void }) {
  useKeys({ e: onExplain });
  const { tone, icon, text } = stateLabel(approval);
  return (
    <div class="answer-bar">
      <Chip tone={tone} icon={icon} boxed>
        {text}
      </Chip>
      <span class="answered-by">
        <span role="status">
          <HostileText text={answeredText(approval)} />
        </span>
        {answeredAgo(approval, serverNow())}
      </span>
      {approval.sessionId === undefined ? undefined : (
        <a class="button" href={pathTo('sessions', approval.sessionId)}>
          Open session
        </a>
      )}
      <Button kind="quiet" class="explain" shortcut="e" onPress={onExplain}>
        Explain
      </Button>
    </div>
  );
}

/** Explains the command as the agent of the request gave it. */
function explainPath({ binding, node }: ApprovalInfo): string {
  const query = new URLSearchParams({ c: binding.command, agent: binding.agent, folder: binding.cwd });
  query.set('host', binding.host);
  if (node !== undefined) query.set('node', node.id);
  return `/policy/explain?${query.toString()}`;
}
