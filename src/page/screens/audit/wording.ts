import type { AuditEntry } from '../../../wire/approval.ts';
import type { Tone } from '../../components/chip.tsx';
import type { IconName } from '../../components/icon.tsx';

interface EventLook {
  readonly tone: Tone;
  readonly icon: IconName;
}

const PLAIN: EventLook = { tone: 'muted', icon: 'audit' };
const LOOKS: Partial<Record<AuditEntry['event'], EventLook>> = {
  asked: { tone: 'ask', icon: 'ask' },
  denied: { tone: 'no', icon: 'no' },
  started: { tone: 'muted', icon: 'run' },
  ended: { tone: 'muted', icon: 'ok' },
  answered: { tone: 'muted', icon: 'person' },
  extended: { tone: 'muted', icon: 'clock' },
  login: { tone: 'muted', icon: 'person' },
  page: { tone: 'muted', icon: 'person' },
  control: { tone: 'muted', icon: 'person' },
  node: { tone: 'muted', icon: 'nodes' },
  rules: { tone: 'muted', icon: 'policy' },
  override: { tone: 'muted', icon: 'policy' },
  'guard-lost': { tone: 'no', icon: 'warn' },
  obeyed: { tone: 'ask', icon: 'warn' },
  omitted: { tone: 'ask', icon: 'warn' },
};

export function eventLook({ event }: AuditEntry): EventLook {
  return LOOKS[event] ?? PLAIN;
}

/** The member of the details that says most, in this order. */
const TELLING = ['reason', 'outcome', 'decision', 'action', 'text', 'method', 'code', 'failure', 'exitCode', 'name'];

/** One line about an entry; the whole entry is in its dialog. */
export function aboutText({ details, by }: AuditEntry): string {
  const name = TELLING.find((each) => ['string', 'number'].includes(typeof details[each]));
  const about = name === undefined ? '' : `${name === 'exitCode' ? 'code ' : ''}${String(details[name])}`;
  return by === undefined ? about : `${about === '' ? '' : `${about}, `}by ${by}`;
}
