import { useState } from 'preact/hooks';
import type { SessionInfo } from '../../../wire/session.ts';
import { whereText } from '../../components/actor.tsx';
import { Button } from '../../components/button.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { toast } from '../../state/toasts.ts';
import { hiddenAsNames } from '../../text/pieces.ts';
import { bytesText } from '../../text/times.ts';
import { KillDialog } from './kill-dialog.tsx';
import type { Typing } from './live/typing.ts';
import { noteSession } from './selection.ts';
import { StateChip } from './session-list.tsx';

interface DetailHeadProps {
  readonly session: SessionInfo;
  readonly typing: Typing;
  readonly isReplay: boolean;
  readonly isText: boolean;
  readonly onText: (isText: boolean) => void;
  readonly onProblem: (error: unknown) => void;
}

export function DetailHead(props: DetailHeadProps) {
  const { session } = props;
  return (
    <div class="session-head">
      <div class="session-title">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section class="session-command" aria-label="Command" tabIndex={0}>
          <h2>
            <CommandText text={session.command} />
          </h2>
        </section>
        <StateChip session={session} boxed />
      </div>
      <div class="session-title">
        <p class="note grow">
          <HostileText text={factsOf(session).join(' · ')} />
        </p>
        <Controls {...props} />
      </div>
    </div>
  );
}

function factsOf(session: SessionInfo): readonly string[] {
  const { agent, cwd, pid, pty, bytes, masked } = session;
  return [
    `${agent} on ${whereText(session)}`,
    cwd,
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(pty === undefined ? ['no terminal'] : [`${pty.cols}×${pty.rows}`]),
    bytesText(bytes),
    ...(masked === true ? ['secrets of the command are masked'] : []),
  ];
}

function Controls({ session, typing, isReplay, isText, onText, onProblem }: DetailHeadProps) {
  const [isKilling, setIsKilling] = useState(false);
  const isRunning = session.status === 'running';
  const hasLeftovers = (session.leftovers?.length ?? 0) > 0;
  const interrupt = async (): Promise<void> => {
    noteSession(await call('session.interrupt', { sessionId: session.id }));
    toast('Sent SIGINT');
  };
  return (
    <div class="session-controls">
      {typing.isOffered && !isReplay && !isText ? <WatchOrType typing={typing} /> : undefined}
      {typing.isTyping ? <Button onPress={() => void typing.fit()}>Fit size</Button> : undefined}
      {session.pty === undefined ? undefined : (
        <Button pressed={isText} onPress={() => onText(!isText)}>
          Plain text
        </Button>
      )}
      {isRunning ? (
        <Button
          about={session.id}
          blocked={writeBlocked.value}
          onPress={() => {
            onProblem(undefined);
            interrupt().catch(onProblem);
          }}
        >
          Interrupt
        </Button>
      ) : undefined}
      {isRunning || hasLeftovers ? (
        <Button kind="destructive" about={session.id} blocked={writeBlocked.value} onPress={() => setIsKilling(true)}>
          {isRunning ? 'Kill…' : 'Kill leftovers…'}
        </Button>
      ) : undefined}
      {isKilling ? <KillDialog session={session} onClose={() => setIsKilling(false)} /> : undefined}
    </div>
  );
}

function WatchOrType({ typing }: { readonly typing: Typing }) {
  const { isTyping, blocked } = typing;
  return (
    <fieldset class="segments">
      <legend class="unseen">Keys</legend>
      <button type="button" data-leave-terminal aria-pressed={!isTyping} onClick={() => void typing.release()}>
        <Icon name="lock" />
        Watch
      </button>
      <button
        type="button"
        aria-pressed={isTyping}
        aria-disabled={blocked !== undefined}
        title={blocked === undefined ? undefined : hiddenAsNames(blocked)}
        onClick={() => (blocked === undefined ? void typing.take() : toast(blocked))}
      >
        Type
      </button>
    </fieldset>
  );
}
