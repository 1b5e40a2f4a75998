import { useEffect, useState } from 'preact/hooks';
import { FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchField } from '../../components/fields.tsx';
import { Split } from '../../components/split.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import { useKeys } from '../../keys.ts';
import { navigate, pathTo, place } from '../../router.ts';
import { serverNow } from '../../state/clock.ts';
import { onEvents } from '../../state/events.ts';
import { link } from '../../state/link.ts';
import { ageText } from '../../text/times.ts';
import { CHANGES } from './address.ts';
import type { RecordedChange } from './answers.ts';
import { ChangeDetail } from './change-detail.tsx';
import { changes, changesProblem, loadChanges } from './changes-state.ts';
import { Views } from './views.tsx';
import { aboutText, authorText, changeLabel, filesText, pathText } from './wording.ts';

/** Who changed which files, the newest change first, and the details of the chosen change. */
export function ChangesView() {
  const id = place.value.segments[2];
  const [words, setWords] = useState('');
  const isLive = link.value.kind === 'live';
  useEffect(() => {
    if (!isLive) return undefined;
    void loadChanges();
    return onEvents({ reset: () => void loadChanges() });
  }, [isLive]);
  const shown = (changes.value ?? []).filter((change) => hasWords(change, words));
  const move = (step: 1 | -1): void => {
    const at = shown.findIndex((change) => change.id === id);
    const next = shown[at < 0 ? 0 : at + step];
    if (next !== undefined) navigate(pathTo('files', CHANGES, next.id), 'replace');
  };
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) });
  return (
    <Split
      openId={id}
      back={{ href: pathTo('files', CHANGES), text: 'All changes' }}
      list={
        <section class="list" aria-label="Changes">
          <div class="list-tools">
            <Views />
            <SearchField label="Search changes" placeholder="Search changes" value={words} onInput={setWords} />
          </div>
          {changesProblem.value === undefined ? undefined : <FaultNote error={changesProblem.value} />}
          {shown.map((change) => (
            <ChangeItem key={change.id} change={change} isCurrent={change.id === id} />
          ))}
          {changes.value !== undefined && shown.length === 0 ? <NoChanges words={words} /> : undefined}
        </section>
      }
    >
      {id !== undefined ? (
        <ChangeDetail key={id} id={id} />
      ) : (
        <div class="detail">{shown.length > 0 ? <NoChoice /> : ''}</div>
      )}
    </Split>
  );
}

function NoChoice() {
  return (
    <EmptyState icon="undo" title="No change is chosen">
      Choose one in the list, to see what it did and to undo it.
    </EmptyState>
  );
}

function hasWords(change: RecordedChange, words: string): boolean {
  const text = [change.id, change.tool, authorText(change), ...change.files.map(pathText)].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => text.includes(word));
}

function NoChanges({ words }: { readonly words: string }) {
  return (
    <EmptyState icon="undo" title={words === '' ? 'No change is recorded' : 'No match'}>
      {words === ''
        ? 'What tools write in this workspace is recorded here, and can be undone.'
        : 'No change of the list has these words.'}
    </EmptyState>
  );
}

function ChangeItem({ change, isCurrent }: { readonly change: RecordedChange; readonly isCurrent: boolean }) {
  const { tone, icon, text } = changeLabel(change);
  const about = aboutText(change);
  return (
    <a class="item" href={pathTo('files', CHANGES, change.id)} aria-current={isCurrent ? 'true' : undefined}>
      <span class="item-edge">
        <b>
          <HostileText text={authorText(change)} />
        </b>
        <span>{ageText(serverNow() - Date.parse(change.time))} ago</span>
      </span>
      <CommandText text={filesText(change)} />
      <span class="item-edge">
        <Chip tone={tone} icon={icon}>
          {text}
        </Chip>
        <HostileText text={about ?? change.tool} />
      </span>
    </a>
  );
}
