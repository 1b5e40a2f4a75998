/** The search of the list: words of the command, and `agent:`, `host:`, `state:`. */
import type { SessionInfo } from '../../../wire/session.ts';
import { whereText } from '../../components/actor.tsx';
import { stateLabel } from './session-state.ts';

export type ListView = 'all' | 'running' | 'ended';

/** `agent:ops`, `"npm test"`, `npm` */
const TERM = /(?:(agent|host|state):)?(?:"([^"]*)"?|(\S+))/giu;

/** Running sessions first, then the ended ones; the newest first in both. */
export function listed(
  sessions: Iterable<SessionInfo>,
  view: ListView,
  search: string,
  now: number,
): readonly SessionInfo[] {
  const terms = [...search.matchAll(TERM)].map(([, field, quoted, word]) => ({
    field: field?.toLowerCase(),
    text: (quoted ?? word ?? '').toLowerCase(),
  }));
  const isWanted = (session: SessionInfo): boolean =>
    (view === 'all' || (view === 'running') === isRunning(session)) &&
    terms.every(({ field, text }) => textOfField(session, field, now).toLowerCase().includes(text));
  return [...sessions].filter(isWanted).sort((a, b) => Number(isRunning(b)) - Number(isRunning(a)) || newest(a, b));
}

function isRunning({ status }: SessionInfo): boolean {
  return status === 'running';
}

function newest(a: SessionInfo, b: SessionInfo): number {
  return b.startedAt - a.startedAt || a.id.localeCompare(b.id);
}

function textOfField(session: SessionInfo, field: string | undefined, now: number): string {
  if (field === 'agent') return session.agent;
  if (field === 'host') return whereText(session);
  if (field === 'state') return stateLabel(session, now).text;
  return `${session.command} ${session.agent} ${session.id}`;
}
