import { diffLines } from './diff-lines.ts';
import { hiddenAsNames } from '../text/pieces.ts';
import { HostileText } from './hostile-text.tsx';

interface DiffProps {
  /** A unified diff. */
  readonly text: string;
  readonly label: string;
}

/** Lines keep their sign, so that colour is not the only mark. The diff scrolls sideways in its own region. */
export function Diff({ text, label }: DiffProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="diff" aria-label={hiddenAsNames(label)} tabIndex={0}>
      {diffLines(text).map((line, i) => (
        <span key={i} class={line.kind}>
          <HostileText text={line.text} />
        </span>
      ))}
    </section>
  );
}
