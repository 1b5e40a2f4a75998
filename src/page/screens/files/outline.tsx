import { useEffect, useRef } from 'preact/hooks';
import { FaultNote } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { scrollWithin } from '../../components/scroll-within.ts';
import { Unchanged } from '../../components/unchanged.tsx';
import { CallError } from '../../socket/calls.ts';
import type { Loaded } from '../../state/loaded.ts';
import { filesPath, lastName } from './address.ts';
import type { OutlineEntry } from './answers.ts';
import type { Place } from './inspect.ts';

interface OutlineProps {
  readonly file: string | undefined;
  readonly loaded: Loaded<{ readonly entries: readonly OutlineEntry[]; readonly truncated?: true }>;
  readonly places: readonly Place[];
}

/** The places of a file that have an address. */
export function Outline({ file, loaded, places }: OutlineProps) {
  return (
    <nav class="outline" aria-label="Outline">
      <h2>Outline</h2>
      {file === undefined ? undefined : <Entries file={file} loaded={loaded} places={places} />}
    </nav>
  );
}

function Entries({ file, loaded: { value, error }, places }: OutlineProps & { readonly file: string }) {
  if (error !== undefined) return <NoOutline error={error} />;
  if (value === undefined) return undefined;
  const current = places.length === 1 ? places[0]?.match : undefined;
  return (
    <>
      {value.entries.length === 0 ? <p class="note">The file has no place with an address.</p> : undefined}
      <ul>
        {value.entries.map((entry) => {
          const { line, column } = entry.match;
          const isCurrent =
            current !== undefined &&
            current.kind === entry.match.kind &&
            current.line === line &&
            current.column === column;
          return (
            <Unchanged key={entry.path} by={[entry, isCurrent]}>
              {() => <Entry file={file} entry={entry} isCurrent={isCurrent} />}
            </Unchanged>
          );
        })}
      </ul>
      {value.truncated === true ? (
        <p class="note">Only the first {value.entries.length} places are listed. Type an address to find the others.</p>
      ) : undefined}
    </>
  );
}

/** Many files have no kind with addresses; that is not a failure. */
function NoOutline({ error }: { readonly error: unknown }) {
  if (error instanceof CallError && error.code === 'USAGE_UNKNOWN_KIND')
    return <p class="note">Markdown, JSON, JSONL, YAML and .env files have an outline.</p>;
  return <FaultNote error={error} />;
}

interface EntryProps {
  readonly file: string;
  readonly entry: OutlineEntry;
  readonly isCurrent: boolean;
}

function Entry({ file, entry: { path, depth, match }, isCurrent }: EntryProps) {
  const element = useRef<HTMLLIElement>(null);
  useEffect(() => element.current?.style.setProperty('--depth', String(depth - 1)), [depth]);
  useEffect(() => {
    const part = element.current?.closest('nav');
    if (isCurrent && part) scrollWithin(element.current!, part, 'nearest');
  }, [isCurrent]);
  return (
    <li ref={element}>
      <a class="outline-entry" href={filesPath(file, path)} aria-current={isCurrent ? 'true' : undefined}>
        <span class="outline-name">
          <HostileText text={lastName(path)} />
        </span>
        <span class="outline-value">
          <HostileText text={match.valueText ?? match.descriptor ?? ''} />
        </span>
      </a>
    </li>
  );
}
