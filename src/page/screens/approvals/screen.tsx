import { useLayoutEffect } from 'preact/hooks';
import { FaultNote } from '../../components/callout.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { Split } from '../../components/split.tsx';
import { useKeys } from '../../keys.ts';
import { place } from '../../router.ts';
import { approvalsLoaded, pendingApprovals } from '../../state/approvals.ts';
import { serverNow } from '../../state/clock.ts';
import { useSubtitle } from '../../state/header.ts';
import { server } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { countdownText } from '../../text/times.ts';
import './approvals.css';
import { AnswerDialog } from './answer-dialog.tsx';
import { Detail } from './detail.tsx';
import { History } from './history.tsx';
import { InboxList } from './inbox-list.tsx';
import { filter, followInbox, items, move, shown, wantedId } from './selection.ts';
import { HISTORY } from './views.tsx';

export default function ApprovalsScreen() {
  return place.value.segments[1] === HISTORY ? <History /> : <Waiting />;
}

function Waiting() {
  const first = pendingApprovals.value[0];
  const approval = shown.value;
  useSubtitle(first === undefined ? '' : `the first ends in ${countdownText(first.expiresAt - serverNow())}`);
  useLayoutEffect(followInbox, []); // with the drawing: the first key must find the answers unarmed
  useKeys({ j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1) });
  return (
    <Split
      openId={wantedId.value}
      isEmpty={approvalsLoaded.value && items.value.length === 0 && filter.value === ''}
      back={{ href: '/', text: 'All waiting' }}
      list={<InboxList />}
    >
      {approval !== undefined ? <Detail approval={approval} /> : <NoDetail />}
      <AnswerDialog />
    </Split>
  );
}

function NoDetail() {
  const wanted = wantedId.value;
  if (wanted !== undefined) return <OtherRequest key={wanted} id={wanted} />;
  if (!approvalsLoaded.value) return <div class="detail" />;
  return (
    <div class="detail">
      {pendingApprovals.value.length > 0 ? (
        <EmptyState icon="approvals" title="No request is chosen">
          Choose one in the list.
        </EmptyState>
      ) : (
        <NothingWaits />
      )}
    </div>
  );
}

/** Where commands of the served agent are not judged, they do not wait: the page says so, in the words of Policy. */
function NothingWaits() {
  const agent = server.value?.agent;
  const { value } = useLoaded(agent, (signal) => call('policy.posture', { agent: agent! }, signal));
  return value?.posture.kind === 'open' ? (
    <EmptyState icon="warn" title="Nothing waits for you">
      <HostileText text={`Agent ${agent}: ${value.posture.commands}`} />. <a href="/policy">See Policy</a>
    </EmptyState>
  ) : (
    <EmptyState
      icon="ok"
      title="Nothing waits for you"
      command={`pincer call exec '{"command":"git push --dry-run","host":"gateway"}'`}
    >
      When a command of an agent needs your approval, the request appears here. Try it:
    </EmptyState>
  );
}

/** A link to a request that is not among those of the page: it was answered before the page was opened. */
function OtherRequest({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(id, (signal) => call('approval.show', { id }, signal));
  if (value !== undefined) return <Detail approval={value} />;
  return <div class="detail">{error === undefined ? '' : <FaultNote error={error} />}</div>;
}
