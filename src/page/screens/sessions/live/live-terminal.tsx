import { effect } from '@preact/signals';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import type { SessionInfo } from '../../../../wire/session.ts';
import { link } from '../../../state/link.ts';
import { call, followOutput } from '../../../state/server.ts';
import { Drawing } from '../terminal/drawing.ts';
import { TerminalPane } from '../terminal/terminal-pane.tsx';
import { useTerminal } from '../terminal/use-terminal.ts';
import { noteSession } from '../selection.ts';
import { type Gap, LiveOutput } from './live-output.ts';
import { OutputNotes } from './output-notes.tsx';
import type { Typing } from './typing.ts';

interface LiveTerminalProps {
  readonly session: SessionInfo;
  readonly isText: boolean;
  readonly typing: Typing;
}

const DEFAULT_SIZE = { cols: 80, rows: 24 };

/** The terminal of a session as it is now. */
export function LiveTerminal({ session, isText, typing }: LiveTerminalProps) {
  const size = session.pty ?? DEFAULT_SIZE;
  const terminal = useTerminal(size, { typed: typing.type, leave: typing.leave });
  const { screen } = terminal;
  const [gaps, setGaps] = useState<readonly Gap[]>([]);
  const [problem, setProblem] = useState<unknown>(undefined);
  useEffect(() => {
    if (screen === undefined) return;
    const drawing = new Drawing(screen);
    return followWhilePossible(
      new LiveOutput({
        follow: (after, listener) => followOutput(session.id, after, listener),
        logEnd: () => logEnd(session.id),
        view: {
          show: (bytes) => drawing.bytes(bytes),
          gap: (gap) => {
            drawing.reset();
            setGaps((known) => [...known, gap]);
          },
          end: noteSession,
          fail: setProblem,
          followed: () => setProblem(undefined),
        },
      }),
    );
  }, [screen]);
  useEffect(() => {
    screen?.resize(size);
  }, [screen, size.cols, size.rows]);
  useLayoutEffect(() => {
    screen?.setTyping(typing.isTyping); // before the page says that the person types: no key may go elsewhere
  }, [screen, typing.isTyping]);
  useEffect(() => typing.setScreen(screen), [screen]);
  return (
    <>
      <OutputNotes gaps={gaps} problem={problem} />
      <TerminalPane
        terminal={terminal}
        label={`Terminal of session ${session.id}`}
        isText={isText}
        isTyping={typing.isTyping}
      />
    </>
  );
}

/** The length of the log now. */
export async function logEnd(sessionId: string): Promise<number> {
  return (await call('session.wait', { sessionId, waitMs: 0 })).bytes;
}

/** A hidden tab, and one without a link, follows nothing, and continues from its position afterwards. */
export function followWhilePossible(output: LiveOutput): () => void {
  const update = (): void => {
    if (document.visibilityState === 'visible' && link.peek().kind === 'live') output.start();
    else output.stop();
  };
  const endLink = effect(() => {
    void link.value;
    update();
  });
  document.addEventListener('visibilitychange', update);
  return () => {
    endLink();
    document.removeEventListener('visibilitychange', update);
    output.stop();
  };
}
