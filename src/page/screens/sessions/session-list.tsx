import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionInfo } from '../../../wire/session.ts';
import { ActorAndPlace, whereText } from '../../components/actor.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchField } from '../../components/fields.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import { Unchanged } from '../../components/unchanged.tsx';
import { pathTo } from '../../router.ts';
import { peekServerNow, serverNow } from '../../state/clock.ts';
import { shortened } from '../../text/shortened.ts';
import { ageText, bytesText } from '../../text/times.ts';
import { items, search, shownId, view } from './selection.ts';
import type { ListView } from './search.ts';
import { stateLabel } from './session-state.ts';

/** The list shows the beginning of a command; the details show all of it. */
const SHOWN_LENGTH = 300;
const VIEWS: readonly (readonly [ListView, string])[] = [
  ['all', 'All'],
  ['running', 'Running'],
  ['ended', 'Ended'],
];

export function SessionList() {
  const list = items.value;
  const current = shownId.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the region is named, and holds more than a list
    <div class="list" role="region" aria-label="Sessions">
      <div class="list-tools">
        <fieldset class="segments">
          <legend class="unseen">Which sessions</legend>
          {VIEWS.map(([name, text]) => (
            <button
              key={name}
              type="button"
              aria-pressed={view.value === name}
              onClick={() => {
                view.value = name;
              }}
            >
              {text}
            </button>
          ))}
        </fieldset>
        <SearchField
          label="Search sessions"
          placeholder={'agent:ops host:build-1 "npm test"'}
          value={search.value}
          onInput={(text) => {
            search.value = text;
          }}
        />
      </div>
      <ul>
        {list.map((session) => (
          <li key={session.id}>
            <Unchanged by={[...shownOf(session), session.id === current]}>
              {() => <Item session={session} isCurrent={session.id === current} />}
            </Unchanged>
          </li>
        ))}
      </ul>
      {list.length === 0 && (search.value !== '' || view.value !== 'all') ? (
        <EmptyState icon="search" title="No match">
          {search.value === ''
            ? 'No session is in this state.'
            : 'No session has these words. Fields: agent, host, state.'}
        </EmptyState>
      ) : undefined}
    </div>
  );
}

function Item({ session, isCurrent }: { readonly session: SessionInfo; readonly isCurrent: boolean }) {
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const { id, agent, command, bytes } = session;
  return (
    <a ref={element} class="item" href={pathTo('sessions', id)} aria-current={isCurrent ? 'true' : undefined}>
      <span class="item-edge">
        <ActorAndPlace agent={agent} where={session} />
        <Age session={session} />
      </span>
      <CommandText text={shortened(command, SHOWN_LENGTH)} />
      <span class="item-edge">
        <StateChip session={session} />
        <span class="numbers">
          <HostileText text={id} /> · {bytesText(bytes)}
        </span>
      </span>
    </a>
  );
}

/** `for 5 min`, or when it ended. Its text is drawn again only when it changes, not every second. */
function Age({ session: { status, startedAt, endedAt } }: { readonly session: SessionInfo }) {
  const text = useComputed(() =>
    status === 'running'
      ? `for ${ageText(serverNow() - startedAt)}`
      : `${ageText(serverNow() - (endedAt ?? startedAt))} ago`,
  );
  return <span class="numbers">{text}</span>;
}

export function StateChip({ session, boxed = false }: { readonly session: SessionInfo; readonly boxed?: boolean }) {
  const { tone, icon, text } = stateLabel(session, peekServerNow());
  return (
    <Chip tone={tone} icon={icon} boxed={boxed}>
      {text}
    </Chip>
  );
}

/** What an item shows. The list is read again every few seconds, and most of it is as before. */
function shownOf(session: SessionInfo): readonly unknown[] {
  const { id, agent, command, bytes, status, startedAt, endedAt } = session;
  return [
    id,
    agent,
    whereText(session),
    command,
    bytes,
    status,
    startedAt,
    endedAt,
    stateLabel(session, peekServerNow()).text,
  ];
}
