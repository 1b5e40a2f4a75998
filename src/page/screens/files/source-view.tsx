import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { scrollWithin } from '../../components/scroll-within.ts';
import { Unchanged } from '../../components/unchanged.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { hiddenAsNames } from '../../text/pieces.ts';
import type { Match } from './answers.ts';
import type { Inspected } from './inspect.ts';
import { loadSource, LONGEST_LINE, markedParts, type Source, WINDOW, windowStart } from './source.ts';
import { entryAt, folders } from './tree-state.ts';

interface SourceViewProps {
  readonly file: string | undefined;
  readonly inspected: Inspected | undefined;
  readonly version: number;
}

/** The text with line numbers; the addressed lines are marked, and the first of them is in view. */
export function SourceView({ file, inspected, version }: SourceViewProps) {
  const marked = (inspected?.places ?? []).map(({ match }) => match).filter(({ kind }) => kind !== 'root');
  const first = marked[0]?.line;
  const about = `${file} ${inspected?.typed}`;
  const [chosen, setChosen] = useState<{ readonly about: string; readonly from: number } | undefined>(undefined);
  const from = chosen?.about === about ? chosen.from : windowStart(first ?? 1);
  const { value, error } = useLoaded(
    file === undefined || inspected === undefined ? undefined : `${from} ${file}`,
    (signal) => loadSource(file ?? '', from, signal),
    version,
  );
  if (file === undefined)
    return (
      <EmptyState icon="files" title="No file is open">
        Choose a file, or type an oc:// address. The text, the outline and every change go through the same rules as for
        agents.
      </EmptyState>
    );
  const show = (line: number): void => setChosen({ about, from: Math.max(1, line) });
  return (
    <div class="source-view">
      <FileHead file={file} redacted={value?.redacted ?? 0} />
      {error === undefined ? undefined : <FaultNote error={error} />}
      {value === undefined ? undefined : (
        <>
          <Lines file={file} source={value} marked={marked} />
          <MoreLines source={value} onShow={show} />
        </>
      )}
    </div>
  );
}

function FileHead({ file, redacted }: { readonly file: string; readonly redacted: number }) {
  const reason = entryAt(folders.value, file)?.protected;
  return (
    <div class="file-head">
      <a class="button quiet back" href="/files">
        <Icon name="back" />
        All files
      </a>
      <h2 class="mono">
        <HostileText text={file} />
      </h2>
      {redacted === 0 ? undefined : (
        <Chip tone="muted" icon="lock">
          {redacted} {redacted === 1 ? 'value' : 'values'} hidden
        </Chip>
      )}
      {reason === undefined ? undefined : (
        <Chip tone="muted" icon="lock">
          Locked
        </Chip>
      )}
    </div>
  );
}

interface LinesProps {
  readonly file: string;
  readonly source: Source;
  readonly marked: readonly Match[];
}

function Lines({ file, source: { lines, from }, marked }: LinesProps) {
  const region = useRef<HTMLElement>(null);
  const first = marked[0]?.line;
  useEffect(() => {
    const line = region.current?.querySelector<HTMLElement>('[aria-current]');
    if (line !== null && line !== undefined) scrollWithin(line, region.current!, 'center');
  }, [first, lines]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="source" ref={region} aria-label={`Text of ${hiddenAsNames(file)}`} tabIndex={0}>
      <ol>
        {lines.map((text, i) => {
          const number = from + i;
          const match = marked.find(({ line, end }) => number >= line && number <= (end?.line ?? line));
          return (
            <Unchanged key={number} by={[text, match]}>
              {() => <Line number={number} text={text} match={match} />}
            </Unchanged>
          );
        })}
      </ol>
    </section>
  );
}

interface LineProps {
  readonly number: number;
  readonly text: string;
  readonly match: Match | undefined;
}

function Line({ number, text, match }: LineProps) {
  const shown = text.slice(0, LONGEST_LINE);
  const parts =
    match === undefined
      ? [{ text: shown, isMarked: false }]
      : markedParts(shown, number, { start: match, end: match.end });
  return (
    <li aria-current={match === undefined ? undefined : 'true'}>
      <span class="line-number">{number}</span>
      <span class="line-text" dir="ltr">
        {parts.map((part, i) =>
          part.isMarked ? (
            <mark key={i}>
              <HostileText text={part.text} lines />
            </mark>
          ) : (
            <HostileText key={i} text={part.text} lines />
          ),
        )}
        {text.length > LONGEST_LINE ? (
          <span class="note"> {(text.length - LONGEST_LINE).toLocaleString('en')} more characters</span>
        ) : undefined}
      </span>
    </li>
  );
}

function MoreLines({
  source: { lines, from, total },
  onShow,
}: {
  readonly source: Source;
  readonly onShow: (line: number) => void;
}) {
  const next = from + lines.length;
  const hasMore = lines.length > 0 && (total === undefined ? lines.length === WINDOW : next <= total);
  if (from === 1 && !hasMore) return undefined;
  return (
    <div class="more-lines row">
      <span class="note">
        Lines {from} to {next - 1}
        {total === undefined ? '' : ` of ${total.toLocaleString('en')}`}
      </span>
      {from > 1 ? <Button onPress={() => onShow(from - WINDOW)}>Earlier lines</Button> : undefined}
      {hasMore ? <Button onPress={() => onShow(next)}>Later lines</Button> : undefined}
    </div>
  );
}
