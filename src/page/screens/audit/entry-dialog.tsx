import type { AuditEntry } from '../../../wire/approval.ts';
import { Dialog } from '../../components/dialog.tsx';
import { CodeText, CommandText, HostileText } from '../../components/hostile-text.tsx';
import { pathTo } from '../../router.ts';
import { peekServerNow } from '../../state/clock.ts';
import { clockText } from '../../text/times.ts';

/** All that the log has of one event. */
export function EntryDialog({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const { seq, time, event, agent, client, command, by, approvalId, sessionId, details } = entry;
  return (
    <Dialog title={`Entry ${seq}: ${event}`} class="wide-dialog" onClose={onClose}>
      <dl class="facts">
        <dt>Time</dt>
        <dd>{clockText(time, peekServerNow())}</dd>
        <dt>Agent</dt>
        <dd>
          <HostileText text={client === undefined ? agent : `${agent} (${client})`} />
        </dd>
        {by === undefined ? undefined : <Fact name="By" text={by} />}
        {command === undefined ? undefined : (
          <>
            <dt>Command</dt>
            <dd>
              <CommandText text={command} />
            </dd>
          </>
        )}
        {approvalId === undefined ? undefined : (
          <LinkFact name="Approval" text={approvalId} href={pathTo('approvals', approvalId)} />
        )}
        {sessionId === undefined ? undefined : (
          <LinkFact name="Session" text={sessionId} href={pathTo('sessions', sessionId)} />
        )}
        {Object.entries(details).map(([name, value]) => (
          <Fact key={name} name={name} text={typeof value === 'string' ? value : JSON.stringify(value)} />
        ))}
      </dl>
    </Dialog>
  );
}

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <dt>
        <HostileText text={name} />
      </dt>
      <dd>
        <CodeText text={text} />
      </dd>
    </>
  );
}

function LinkFact({ name, text, href }: { readonly name: string; readonly text: string; readonly href: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <a href={href}>
          <HostileText text={text} />
        </a>
      </dd>
    </>
  );
}
