/** Text of agents, files and machines. Hidden characters become badges before the text enters the document. */
import { codePointName } from '../../base/hidden-characters.ts';
import { piecesOf } from '../text/pieces.ts';
import { shortened } from '../text/shortened.ts';

interface HostileTextProps {
  readonly text: string;
  /** Line ends and tabs are shown as such (default: as badges). */
  readonly lines?: boolean;
}

export function HostileText({ text, lines = false }: HostileTextProps) {
  return piecesOf(text, lines).map((piece, i) =>
    piece.hidden === undefined ? piece.text : <HiddenBadge key={i} point={piece.hidden} count={piece.count} />,
  );
}

function HiddenBadge({ point, count }: { readonly point: number; readonly count: number }) {
  const name = codePointName(point);
  return (
    <span class="hidden-badge" title={`The character ${name} cannot be seen.`}>
      {count === 1 ? name : `${name} ×${count}`}
    </span>
  );
}

/** A command or a path on one or more lines, left to right, isolated from the text around it. */
export function CommandText({ text }: { readonly text: string }) {
  return (
    <span class="command" dir="ltr">
      <HostileText text={text} lines />
    </span>
  );
}

interface ShortCommandProps {
  readonly text: string;
  readonly length: number;
}

/** The beginning of a command. What is cut off is said outside of the command, so that no command can look like it. */
export function ShortCommand({ text, length }: ShortCommandProps) {
  const shown = shortened(text, length);
  const missing = text.length - shown.length;
  return (
    <>
      <CommandText text={shown} />
      {missing === 0 ? undefined : <span class="note">… {missing.toLocaleString('en')} more characters</span>}
    </>
  );
}

export function CodeText({ text }: { readonly text: string }) {
  return (
    <code dir="ltr">
      <HostileText text={text} />
    </code>
  );
}
