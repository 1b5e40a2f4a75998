import type { AuditEntry } from '../../../wire/approval.ts';
import { Chip } from '../../components/chip.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import type { Column } from '../../components/table/table.tsx';
import { pathTo } from '../../router.ts';
import { peekServerNow } from '../../state/clock.ts';
import { shortened } from '../../text/shortened.ts';
import { clockText } from '../../text/times.ts';
import { aboutText, eventLook } from './wording.ts';

const SHOWN_LENGTH = 300;
/** Of an id: as many characters identify an approval. */
const SLUG_LENGTH = 8;

export function columnsOf(open: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    {
      name: 'Time',
      sort: 'descending',
      cell: (entry) => (
        <button type="button" class="entry-button" onClick={() => open(entry)}>
          {clockText(entry.time, peekServerNow())}
          <span class="unseen">, entry {entry.seq}</span>
        </button>
      ),
    },
    {
      name: 'Event',
      cell: (entry) => {
        const { tone, icon } = eventLook(entry);
        return (
          <Chip tone={tone} icon={icon}>
            {entry.event}
          </Chip>
        );
      },
    },
    { name: 'Agent', cell: ({ agent }) => <HostileText text={agent} /> },
    { name: 'Command', cell: ({ command = '' }) => <CommandText text={shortened(command, SHOWN_LENGTH)} /> },
    { name: 'Why', cell: (entry) => <HostileText text={shortened(aboutText(entry), SHOWN_LENGTH)} /> },
    {
      name: 'Session',
      cell: ({ sessionId, approvalId }) =>
        sessionId === undefined ? (
          approvalId === undefined ? (
            '–'
          ) : (
            <a href={pathTo('approvals', approvalId)}>
              <HostileText text={shortened(approvalId, SLUG_LENGTH)} />
            </a>
          )
        ) : (
          <a href={pathTo('sessions', sessionId)}>
            <HostileText text={sessionId} />
          </a>
        ),
    },
  ];
}
