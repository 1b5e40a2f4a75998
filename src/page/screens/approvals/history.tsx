import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { Methods } from '../../../wire/methods.ts';
import { whereText } from '../../components/actor.tsx';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PausedSearch } from '../../components/fields/paused-search.tsx';
import { HostileText, ShortCommand } from '../../components/hostile-text.tsx';
import { type Column, Table } from '../../components/table/table.tsx';
import { navigate, pathTo, place } from '../../router.ts';
import { peekServerNow } from '../../state/clock.ts';
import { useSubtitle } from '../../state/header.ts';
import { onEvents } from '../../state/events.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { ageText, countdownText } from '../../text/times.ts';
import { Views } from './views.tsx';
import { personText } from '../../text/person.ts';
import { outcomeText, stateLabel } from './wording.ts';

const PAGE_SIZE = 100;
const SHOWN_LENGTH = 500;

type HistoryPage = Methods['approval.history']['result'];

interface Loaded {
  readonly query: string;
  readonly rows: readonly ApprovalInfo[];
  readonly next?: string | undefined;
}

async function loadPage(query: string, before?: string, signal?: AbortSignal): Promise<Loaded> {
  const page: HistoryPage = await call(
    'approval.history',
    { q: `-state:pending ${query}`.trim(), limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) },
    signal,
  );
  return { query, rows: page.approvals, next: page.next };
}

/** Answered requests, and how their commands ended. The search is a part of the address. */
export function History() {
  const query = place.value.query.get('q') ?? '';
  const [round, setRound] = useState(0);
  const newer = useNewer(`${query} ${round}`);
  useSubtitle('answered requests, and how their commands ended');
  return (
    <div class="column">
      <div class="row">
        <Views />
        <div class="grow">
          <PausedSearch
            label="Search history"
            placeholder="Search history: agent:main by:operator-2 git"
            query={query}
            onSearch={search}
          />
        </div>
        {newer === 0 ? undefined : (
          <Button icon="clock" onPress={() => setRound(round + 1)}>
            {`Reload: ${newer} answered since`}
          </Button>
        )}
      </div>
      <Found query={query} round={round} />
    </div>
  );
}

/** How many requests were answered since `what` was shown. Rows that a person reads do not move. */
function useNewer(what: string): number {
  const [newer, setNewer] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setNewer(new Set());
    return onEvents({
      event: (event) => {
        const answered = event.type === 'notice' ? event.approval : undefined;
        if (answered !== undefined && answered.state !== 'pending')
          setNewer((known) => (known.has(answered.id) ? known : new Set([...known, answered.id])));
      },
    });
  }, [what]);
  return newer.size;
}

function Found({ query, round }: { readonly query: string; readonly round: number }) {
  // One key: the rows of the last search stay until those of the next one are there.
  const { value, error } = useLoaded('history', (signal) => loadPage(query, undefined, signal), `${query} ${round}`);
  const first = error === undefined || value?.query === query ? value : undefined;
  const { older, isLoading, problem, loadMore } = useOlder(first);
  const rows = [...(first?.rows ?? []), ...(older?.rows ?? [])];
  const next = (older ?? first)?.next;
  return (
    <>
      {error === undefined ? undefined : <FaultNote error={error} />}
      {first === undefined ? undefined : rows.length === 0 ? (
        <EmptyState icon="search" title={query === '' ? 'Nothing was answered yet' : 'No match'}>
          {query === '' ? 'Answered requests are kept here.' : 'No answered request has these words.'}
        </EmptyState>
      ) : (
        <div class="card">
          <Table label="Answered requests" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} />
        </div>
      )}
      {problem === undefined ? undefined : <FaultNote error={problem} />}
      {next === undefined ? undefined : (
        <div>
          <Button blocked={isLoading ? 'Loading.' : undefined} onPress={() => loadMore(next)}>
            Show older ones
          </Button>
        </div>
      )}
    </>
  );
}

/** The pages after the first one, until that is another one. One page at a time. */
function useOlder(first: Loaded | undefined) {
  const [older, setOlder] = useState<Loaded | undefined>(undefined);
  const [isLoading, setLoading] = useState(false);
  const [problem, setProblem] = useState<unknown>(undefined);
  const current = useRef(first);
  const isBusy = useRef(false); // a state would let a second press before the next drawing pass
  current.current = first;
  useEffect(() => setOlder(undefined), [first]);
  const loadMore = (next: string): void => {
    if (isBusy.current || first === undefined) return;
    isBusy.current = true;
    setLoading(true);
    setProblem(undefined);
    loadPage(first.query, next) // not the search in the address: the rows of the last one stay until those of the next are there
      .then((page) => {
        if (current.current === first) setOlder((now) => ({ ...page, rows: [...(now?.rows ?? []), ...page.rows] }));
      }, setProblem)
      .finally(() => {
        isBusy.current = false;
        setLoading(false);
      });
  };
  return { older, isLoading, problem, loadMore };
}

function search(text: string): void {
  navigate(text === '' ? '/approvals/history' : `/approvals/history?${new URLSearchParams({ q: text })}`, 'replace');
}

const COLUMNS: readonly Column<ApprovalInfo>[] = [
  {
    name: 'Answer',
    cell: (approval) => {
      const { tone, icon, text } = stateLabel(approval);
      return (
        <Chip tone={tone} icon={icon}>
          {text}
        </Chip>
      );
    },
  },
  {
    name: 'Command',
    cell: ({ slug, binding, judgement }) => (
      <>
        <a class="plain-link" href={pathTo('approvals', slug)}>
          <ShortCommand text={binding.command} length={SHOWN_LENGTH} />
        </a>
        <div class="note">
          <HostileText text={judgement.reason} />
        </div>
      </>
    ),
  },
  { name: 'Agent', cell: ({ binding }) => <HostileText text={binding.agent} /> },
  {
    name: 'On',
    narrow: true,
    cell: ({ binding, node }) => <HostileText text={whereText({ host: binding.host, node })} />,
  },
  { name: 'By', cell: ({ resolvedBy }) => <HostileText text={personText(resolvedBy)} /> },
  {
    name: 'After',
    narrow: true,
    cell: ({ createdAt, resolvedAt }) => (resolvedAt === undefined ? '–' : countdownText(resolvedAt - createdAt)),
  },
  {
    name: 'Ended',
    cell: ({ outcome, sessionId }) => {
      const text = <HostileText text={outcome === undefined ? '–' : outcomeText(outcome)} />;
      return sessionId === undefined ? text : <a href={pathTo('sessions', sessionId)}>{text}</a>;
    },
  },
  {
    name: 'When',
    narrow: true,
    sort: 'descending',
    cell: ({ createdAt }) => `${ageText(peekServerNow() - createdAt)} ago`,
  },
];
