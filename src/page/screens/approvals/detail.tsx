import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalInfo } from '../../../wire/approval.ts';
import { whereText } from '../../components/actor.tsx';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { Countdown } from '../../components/countdown.tsx';
import { CommandText, HostileText } from '../../components/hostile-text.tsx';
import { Icon } from '../../components/icon.tsx';
import { JudgedCommand } from '../../components/judged-command.tsx';
import { serverNow } from '../../state/clock.ts';
import { writeBlocked } from '../../state/link.ts';
import { ageText } from '../../text/times.ts';
import { AnswerBar } from './answer-bar.tsx';
import { extend, problem } from './answers.ts';
import { BoundTo } from './bound-to.tsx';
import { folded, foldedEnd, isFoldable } from './limits.ts';
import { OutsideOfSandbox, RulesThatDecided, usePolicyReport } from './rules-that-decided.tsx';
import { WhatRuns } from './what-runs.tsx';
import { askerText, unansweredText } from './wording.ts';

/** One request: the exact command first, then the reason, then what the answer is bound to. */
export function Detail({ approval }: { readonly approval: ApprovalInfo }) {
  const [unfoldedId, setUnfoldedId] = useState<string | undefined>(undefined);
  const body = useRef<HTMLDivElement>(null);
  const loaded = usePolicyReport(approval);
  const isWhole = !isFoldable(approval) || unfoldedId === approval.id;
  useEffect(() => body.current?.scrollTo(0, 0), [approval.id]);
  const failed = problem.value?.id === approval.id ? problem.value.error : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section inside of main is not a landmark
    <div class="detail" role="region" aria-label={`Request ${approval.slug}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="detail-body" ref={body} tabIndex={0}>
        <Heading approval={approval} />
        <CommandBox approval={approval} isWhole={isWhole} onUnfold={() => setUnfoldedId(approval.id)} />
        {failed === undefined ? undefined : <FaultNote error={failed} />}
        <OutsideOfSandbox approval={approval} {...(loaded.value === undefined ? {} : { report: loaded.value })} />
        <WhatRuns approval={approval} isWhole={isWhole} />
        <BoundTo approval={approval} isWhole={isWhole} />
        <RulesThatDecided approval={approval} loaded={loaded} />
      </div>
      <AnswerBar approval={approval} isWhole={isWhole} />
    </div>
  );
}

function Heading({ approval }: { readonly approval: ApprovalInfo }) {
  const { slug, binding, node, createdAt, expiresAt, state } = approval;
  return (
    <div class="detail-top">
      <div>
        <h2>
          <HostileText text={`${binding.agent} wants to run this on ${whereText({ host: binding.host, node })}`} />
        </h2>
        <p class="note">
          asked {ageText(serverNow() - createdAt)} ago
          {binding.client === undefined ? '' : <HostileText text={askerText(binding.client)} />}
          {binding.conversation === undefined ? '' : <HostileText text={` in ${binding.conversation}`} />} ·{' '}
          <code>{slug}</code>
        </p>
      </div>
      {state === 'pending' ? (
        <div class="request-time">
          <Countdown startedAt={createdAt} expiresAt={expiresAt} after={unansweredText(approval)} />
          <Button kind="quiet" blocked={writeBlocked.value} onPress={() => void extend(approval)}>
            +30 min
          </Button>
        </div>
      ) : undefined}
    </div>
  );
}

interface CommandBoxProps {
  readonly approval: ApprovalInfo;
  readonly isWhole: boolean;
  readonly onUnfold: () => void;
}

function CommandBox({ approval, isWhole, onUnfold }: CommandBoxProps) {
  const { binding, judgement, node } = approval;
  const { command } = binding;
  const hidden = command.length - folded(command).length;
  const hint =
    judgement.hint === undefined || node === undefined ? judgement.hint : `on node ${node.name}: ${judgement.hint}`;
  return (
    <div class="command-box">
      <JudgedCommand command={isWhole ? command : folded(command)} judgement={judgement} />
      {isWhole ? undefined : (
        <div class="folded">
          {hidden === 0 ? (
            <b>A long value is not shown in full.</b>
          ) : (
            <div>
              <b>{hidden.toLocaleString('en')} more characters are not shown.</b> The command ends with:
              <CommandText text={foldedEnd(command)} />
            </div>
          )}
          <Button onPress={onUnfold}>Show everything</Button>
        </div>
      )}
      <div class="command-why">
        <Icon name="ask" />
        <p>
          <b>
            <HostileText text={judgement.reason} />
          </b>
          <span class="note">
            <HostileText text={hint ?? ''} />
            {judgement.explicit === true ? `${hint === undefined ? '' : ' · '}Only a person can allow it.` : ''}
          </span>
        </p>
      </div>
    </div>
  );
}
