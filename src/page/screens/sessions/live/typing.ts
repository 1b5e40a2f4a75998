import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../../../wire/session.ts';
import { link, linkBlocked, login } from '../../../state/link.ts';
import { call } from '../../../state/server.ts';
import { toast } from '../../../state/toasts.ts';
import { personText } from '../../../text/person.ts';
import { noteSession } from '../selection.ts';
import type { TerminalScreen } from '../terminal/terminal-screen.ts';
import { Typist } from './typist.ts';

export interface Typing {
  /** Only an operator types, and only into a terminal whose program reads. */
  readonly isOffered: boolean;
  readonly isTyping: boolean;
  /** Why no person can type here now. */
  readonly blocked: string | undefined;
  readonly problem: unknown;
  take(): Promise<void>;
  release(): Promise<void>;
  readonly type: (bytes: Uint8Array) => void;
  /** Releases the control; the focus goes back to the page. */
  readonly leave: () => void;
  /** Gives the terminal the size of the window. */
  fit(): Promise<void>;
  setScreen(screen: TerminalScreen | undefined): void;
}

/** The control of a session: one person at a time types. It ends with the component, the link or the session. */
export function useTyping(session: SessionInfo): Typing {
  const { id } = session;
  const [isTyping, setIsTyping] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const screen = useRef<TerminalScreen | undefined>(undefined);
  const typist = useRef<Typist | undefined>(undefined);
  typist.current ??= new Typist({
    control: (take) => call('session.control', { sessionId: id, take }),
    input: (input) => call('session.input', { sessionId: id, input }),
    fail: (error) => {
      setIsTyping(false);
      setProblem(error);
    },
  });
  const isOffered =
    login.value?.role === 'operator' && session.status === 'running' && session.stdinOpen && session.pty !== undefined;
  const isLive = link.value.kind === 'live';
  useEffect(() => {
    if ((isLive && isOffered) || !typist.current!.hasControl) return;
    typist.current!.forget();
    setIsTyping(false);
    toast(isLive ? 'The session no longer reads input' : 'The link is lost: typing has stopped');
  }, [isLive, isOffered]);
  useEffect(() => () => void typist.current!.release().catch(() => undefined), []); // the server releases it with the link
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    await work().catch(setProblem);
  };
  const release = (): Promise<void> =>
    guarded(async () => {
      setIsTyping(false);
      await typist.current!.release();
    });
  return {
    isOffered,
    isTyping,
    blocked: linkBlocked.value ?? blockedReason(session, isTyping),
    problem,
    take: () =>
      guarded(async () => {
        const answer = await typist.current!.take();
        if (!answer.ok) throw new Error(answer.message);
        noteSession(answer.session);
        if (isTyping) screen.current?.setTyping(true); // the focus was elsewhere
        setIsTyping(typist.current!.hasControl);
      }),
    release,
    type: (bytes) => typist.current!.type(bytes),
    leave: () => {
      document.querySelector<HTMLElement>('[data-leave-terminal]')?.focus();
      void release();
    },
    fit: () =>
      guarded(async () => {
        const size = screen.current?.fittingSize();
        if (size !== undefined) noteSession(await call('session.resize', { sessionId: id, size }));
      }),
    setScreen: (mounted) => {
      screen.current = mounted;
    },
  };
}

function blockedReason({ unreachableSince, controller }: SessionInfo, isTyping: boolean): string | undefined {
  if (unreachableSince !== undefined) return 'Its node is not connected.';
  return controller !== undefined && !isTyping
    ? `${personText(controller.by)} is typing now. One person at a time can.`
    : undefined;
}
