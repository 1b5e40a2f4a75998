import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../wire/approval.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PausedSearch } from '../../components/fields/paused-search.tsx';
import { VirtualTable } from '../../components/table/virtual-table.tsx';
import { navigate, place } from '../../router.ts';
import { onEvents } from '../../state/events.ts';
import { useSubtitle } from '../../state/header.ts';
import { link, linkBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import './audit.css';
import { columnsOf } from './columns.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { Histogram, useVolume } from './histogram.tsx';
import { LogActions } from './log-actions.tsx';
import { AuditRows, MOST_ROWS } from './rows.ts';

const PAGE = 500;
const EXAMPLES = ['event:asked', 'event:denied', 'since:24h', 'exit:1'];

/** What happened, newest first. The search is a part of the address, and the server does it. */
export default function AuditScreen() {
  const q = place.value.query.get('q') ?? '';
  const [round, setRound] = useState(0);
  const [newer, setNewer] = useState(0);
  const [shown, setShown] = useState<AuditEntry | undefined>(undefined);
  const { rows, error, view } = useRows(q, round);
  const volume = useVolume(q, round);
  useSubtitle(volume === undefined ? '' : `${volume.total.toLocaleString('en')} entries`);
  useEffect(() => onEvents({ event: ({ type }) => type === 'audit' && setNewer((n) => n + 1), reset: refresh }), []);
  function refresh(): void {
    setNewer(0);
    setRound((n) => n + 1);
  }
  const columns = useMemo(() => columnsOf(setShown), []);
  const found = rows.isComplete ? rows.entries.length : Math.max(rows.entries.length, volume?.total ?? 0);
  const count = Math.min(found, MOST_ROWS);
  return (
    <div class="audit">
      <div class="audit-tools">
        <div class="grow">
          <PausedSearch
            label="Search the audit log"
            placeholder={'agent:main event:denied code:chaining since:24h "git push"'}
            query={q}
            onSearch={search}
          />
        </div>
        <LogActions q={q} />
      </div>
      <div class="row audit-terms">
        {EXAMPLES.map((term) => (
          <Button key={term} kind="quiet" onPress={() => search(q.includes(term) ? q : `${q} ${term}`.trim())}>
            {term}
          </Button>
        ))}
        <Button kind="quiet" icon="clock" blocked={linkBlocked.value} onPress={refresh}>
          {newer > 0
            ? `Reload: ${newer.toLocaleString('en')} new in the log`
            : linkBlocked.value === undefined
              ? 'Up to date'
              : 'Reload'}
        </Button>
      </div>
      {volume === undefined || error !== undefined ? undefined : <Histogram volume={volume} />}
      {found > MOST_ROWS ? (
        <p class="note audit-note">
          The list ends after the newest {MOST_ROWS.toLocaleString('en')} entries. Search for older ones with until:7d.
        </p>
      ) : undefined}
      {error === undefined ? undefined : <FaultNote error={error} />}
      {error !== undefined && rows.entries.length === 0 ? undefined : rows.isComplete && rows.entries.length === 0 ? (
        <EmptyState icon="search" title="No match">
          {q === '' ? 'Nothing has happened yet.' : 'No entry of the log matches this search.'}
        </EmptyState>
      ) : (
        <VirtualTable
          key={`${q} ${round}`}
          label="Audit log"
          columns={columns}
          count={count}
          rowAt={(index) => rows.entries[index]}
          keyOf={({ seq }) => String(seq)}
          onView={(_, end) => view(end)}
        />
      )}
      {shown === undefined ? undefined : <EntryDialog entry={shown} onClose={() => setShown(undefined)} />}
    </div>
  );
}

/** The rows of a search. Rows that arrive later are not put above those that a person reads. */
function useRows(q: string, round: number) {
  const isLive = link.value.kind === 'live';
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  const rows = useMemo(
    () =>
      new AuditRows((before) => call('audit.query', { q, limit: PAGE, ...(before === undefined ? {} : { before }) })),
    [q, round],
  );
  const inView = useRef({ rows, end: 1 });
  if (inView.current.rows !== rows) inView.current = { rows, end: 1 };
  const load = (): void => {
    if (isLive) rows.ensure(inView.current.end).then(() => ended(undefined), ended);
  };
  /** An earlier search says nothing about this one, and a lost link loads again when it is back. */
  const ended = (problem: unknown): void => {
    if (inView.current.rows !== rows || link.peek().kind !== 'live') return;
    setError(problem);
    redraw((n) => n + 1);
  };
  const view = (end: number): void => {
    inView.current = { rows, end: Math.max(1, end) }; // the first page says whether there are any
    load();
  };
  useEffect(() => {
    setError(undefined);
    load(); // also what came into view without a link
  }, [rows, isLive]);
  return { rows, error, view };
}

function search(q: string): void {
  navigate(q.trim() === '' ? '/audit' : `/audit?${new URLSearchParams({ q })}`, 'replace');
}
