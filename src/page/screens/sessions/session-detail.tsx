import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../../wire/session.ts';
import { place } from '../../router.ts';
import { DetailHead } from './detail-head.tsx';
import { DetailNotes } from './detail-notes.tsx';
import { LiveScrubber } from './live/live-scrubber.tsx';
import { LiveTerminal } from './live/live-terminal.tsx';
import { TextOutput } from './live/text-output.tsx';
import { useTyping } from './live/typing.ts';
import { wantsFocus } from './selection.ts';
import { ReplayTerminal } from './replay/replay-terminal.tsx';

/** One session: its terminal now, its recording at a moment, or its output as text. */
export function SessionDetail({ session }: { readonly session: SessionInfo }) {
  const [isText, setIsText] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const typing = useTyping(session);
  const isReplay = session.recorded === true && (place.value.query.has('t') || session.status !== 'running');
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!wantsFocus.value) return;
    wantsFocus.value = false;
    element.current?.querySelector<HTMLElement>('[data-output]')?.focus();
  }, [wantsFocus.value]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section inside of main is not a landmark
    <div class="detail session-detail" ref={element} role="region" aria-label={`Session ${session.id}`}>
      <DetailHead
        session={session}
        typing={typing}
        isReplay={isReplay}
        isText={isText}
        onText={(wanted) => {
          setIsText(wanted);
          if (wanted && typing.isTyping) void typing.release();
        }}
        onProblem={setProblem}
      />
      <div class="session-body">
        <DetailNotes session={session} typing={typing} problem={problem ?? typing.problem} />
        {session.pty === undefined ? <TextOutput session={session} /> : undefined}
        {session.pty !== undefined && isReplay ? <ReplayTerminal session={session} isText={isText} /> : undefined}
        {session.pty !== undefined && !isReplay ? (
          <>
            <LiveTerminal session={session} isText={isText} typing={typing} />
            {session.recorded === true ? <LiveScrubber session={session} /> : undefined}
          </>
        ) : undefined}
      </div>
    </div>
  );
}
