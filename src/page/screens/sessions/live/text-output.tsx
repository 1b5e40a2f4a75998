import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionInfo } from '../../../../wire/session.ts';
import { HostileText } from '../../../components/hostile-text.tsx';
import { Icon } from '../../../components/icon.tsx';
import { Unchanged } from '../../../components/unchanged.tsx';
import { followOutput } from '../../../state/server.ts';
import { noteSession } from '../selection.ts';
import { LiveOutput } from './live-output.ts';
import { followWhilePossible, logEnd } from './live-terminal.tsx';
import { gapText, OutputNotes } from './output-notes.tsx';
import { type TextBlock, TextLog } from './text-log.ts';

/** Output that is this near to its end follows it. */
const NEAR_END = 40;

/** The output of a session without a terminal: text, with hidden characters made visible. */
export function TextOutput({ session }: { readonly session: SessionInfo }) {
  const log = useRef<TextLog | undefined>(undefined);
  log.current ??= new TextLog();
  const element = useRef<HTMLElement>(null);
  const [problem, setProblem] = useState<unknown>(undefined);
  const blocks = log.current.blocks.value;
  /** Whether new output scrolls into view. The person stops it by scrolling up. */
  const isFollowing = useRef(true);
  useEffect(
    () =>
      followWhilePossible(
        new LiveOutput({
          follow: (after, listener) => followOutput(session.id, after, listener),
          logEnd: () => logEnd(session.id),
          view: {
            show: async (bytes, stream) => {
              log.current!.add(bytes, stream);
              await nextFrame();
              return true;
            },
            gap: (gap) => log.current!.gap(gap),
            end: noteSession,
            fail: setProblem,
            followed: () => setProblem(undefined),
          },
        }),
      ),
    [],
  );
  useEffect(() => {
    if (isFollowing.current) element.current?.scrollTo(0, element.current.scrollHeight);
  }, [blocks]);
  return (
    <>
      <OutputNotes gaps={[]} problem={problem} />
      <section
        class="output-text"
        data-output
        ref={element}
        aria-label={`Output of session ${session.id}`}
        onScroll={({ currentTarget }) => {
          isFollowing.current = isAtEnd(currentTarget);
        }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <pre dir="ltr">
          {blocks.length > 0 ? undefined : session.status === 'running' ? 'No output yet.' : 'No output.'}
          {blocks.map((block) => (
            <Unchanged key={block.id} by={[block]}>
              {() => <Block block={block} />}
            </Unchanged>
          ))}
        </pre>
      </section>
    </>
  );
}

function Block({ block }: { readonly block: TextBlock }) {
  if (block.gap === undefined)
    return (
      <span class="text-block">
        <HostileText text={block.text} lines />
      </span>
    );
  return (
    <span class="gap-line" data-gap={block.gap.why}>
      <Icon name="warn" /> {gapText(block.gap.why, [block.gap])}
    </span>
  );
}

function isAtEnd(element: HTMLElement): boolean {
  return element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
}

/** Also in a tab that draws no frames. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.visibilityState === 'visible') requestAnimationFrame(() => resolve());
    else setTimeout(resolve);
  });
}
