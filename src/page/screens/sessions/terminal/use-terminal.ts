import { useEffect, useRef, useState } from 'preact/hooks';
import type { RefObject } from 'preact';
import type { TerminalSize } from '../../../../wire/session.ts';
import type { KeyboardOwner, TerminalScreen } from './terminal-screen.ts';

export interface MountedTerminal {
  readonly element: RefObject<HTMLDivElement | null>;
  /** Undefined while its code is loaded. */
  readonly screen: TerminalScreen | undefined;
  readonly problem: unknown;
}

/** Mounts xterm into an element, and removes it with the component. */
export function useTerminal(size: TerminalSize, owner: KeyboardOwner): MountedTerminal {
  const element = useRef<HTMLDivElement>(null);
  const latestOwner = useRef(owner);
  latestOwner.current = owner;
  const [screen, setScreen] = useState<TerminalScreen | undefined>(undefined);
  const [problem, setProblem] = useState<unknown>(undefined);
  useEffect(() => {
    let isGone = false;
    let mounted: TerminalScreen | undefined;
    const observer = new ResizeObserver(() => mounted?.fitFont());
    import('./terminal-screen.ts').then((code) => {
      if (isGone) return;
      mounted = new code.TerminalScreen(element.current!, size, {
        typed: (bytes) => latestOwner.current.typed(bytes),
        leave: () => latestOwner.current.leave(),
      });
      mounted.fitFont();
      observer.observe(element.current!);
      setScreen(mounted);
    }, setProblem);
    return () => {
      isGone = true;
      observer.disconnect();
      mounted?.dispose();
    };
  }, []);
  return { element, screen, problem };
}
