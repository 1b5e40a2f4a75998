import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { ActorAndPlace } from '../../components/actor.tsx';
import { Chip } from '../../components/chip.tsx';
import { TimeLeft } from '../../components/countdown.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SearchField } from '../../components/fields.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import { Unchanged } from '../../components/unchanged.tsx';
import { isPlainClick, pathTo } from '../../router.ts';
import { unlistedApprovals } from '../../state/approvals.ts';
import { serverNow } from '../../state/clock.ts';
import { shortened } from '../../text/shortened.ts';
import { ageText } from '../../text/times.ts';
import { choose, filter, items, shown } from './selection.ts';
import { Views } from './views.tsx';
import { answeredAgo, answeredText, codeLabel } from './wording.ts';

/** The list shows the beginning of a command; the details show all of it. */
const SHOWN_LENGTH = 300;

export function InboxList() {
  const currentId = shown.value?.id;
  const list = items.value;
  return (
    // biome-ignore lint/a11y/useSemanticElements: the region is named, and holds more than a list
    <div class="list" role="region" aria-label="Waiting">
      <div class="list-tools">
        <Views />
        <SearchField
          label="Filter requests"
          placeholder="Filter"
          value={filter.value}
          onInput={(text) => {
            filter.value = text;
          }}
        />
      </div>
      <ul>
        {list.map((approval) => (
          <li key={approval.id}>
            <Unchanged by={[approval, approval.id === currentId]}>
              {() => <Item approval={approval} isCurrent={approval.id === currentId} />}
            </Unchanged>
          </li>
        ))}
      </ul>
      <Unlisted count={unlistedApprovals.value} />
      {list.length === 0 && filter.value !== '' ? (
        <EmptyState icon="search" title="No match">
          No waiting request has these words.
        </EmptyState>
      ) : undefined}
    </div>
  );
}

/** No agent can hide requests behind its long commands: the page says how many it does not show. */
function Unlisted({ count }: { readonly count: number }) {
  if (count === 0) return undefined;
  return (
    <p class="note list-note">
      {count === 1 ? '1 older request is' : `${count} older requests are`} not shown. Answer some of these, or run{' '}
      <code>pincer approvals list</code>.
    </p>
  );
}

function Item({ approval, isCurrent }: { readonly approval: ApprovalInfo; readonly isCurrent: boolean }) {
  const element = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isCurrent) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  const { slug, binding, judgement, node, createdAt, expiresAt, state, waiting, differs } = approval;
  const { tone, icon, text } = codeLabel(judgement.code);
  return (
    <a
      ref={element}
      class={`item${state === 'pending' ? '' : ' answered'}`}
      href={pathTo('approvals', slug)}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (isPlainClick(event, event.currentTarget)) choose(approval);
      }}
    >
      <span class="item-edge">
        <ActorAndPlace agent={binding.agent} where={{ host: binding.host, node }} />
        <Age since={createdAt} />
      </span>
      {differs === undefined || state !== 'pending' ? undefined : (
        <span class="item-why">
          <HostileText text={`only ${shortened(differs.word, 80)} differs from ${differs.from}`} />
        </span>
      )}
      <CommandText text={shortened(binding.command, SHOWN_LENGTH)} />
      {state === 'pending' ? (
        <>
          <span class="item-why">
            <HostileText text={judgement.reason} />
          </span>
          <span class="item-edge">
            <Chip tone={tone} icon={icon}>
              <HostileText text={text} />
            </Chip>
            {waiting === undefined ? undefined : <span class="numbers">{waiting} calls</span>}
            <TimeLeft expiresAt={expiresAt} />
          </span>
        </>
      ) : (
        <Answered approval={approval} />
      )}
    </a>
  );
}

function Answered({ approval }: { readonly approval: ApprovalInfo }) {
  return (
    <span class="item-why">
      <HostileText text={answeredText(approval)} />
      {answeredAgo(approval, serverNow())}
    </span>
  );
}

/** Its text is drawn again only when it changes, not every second. */
function Age({ since }: { readonly since: number }) {
  const text = useComputed(() => ageText(serverNow() - since));
  return <span class="numbers">{text}</span>;
}
