import type { ApprovalInfo } from '../../../wire/approval.ts';
import type { PolicyReport } from '../../../wire/posture.ts';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import { type Loaded, useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';

/** What holds for the agent of a request, in its folder, now. */
export function usePolicyReport({ id, binding, node }: ApprovalInfo): Loaded<PolicyReport> {
  const params = { agent: binding.agent, folder: binding.cwd };
  return useLoaded(node === undefined ? id : undefined, (signal) => call('policy.posture', params, signal));
}

/** A request of an agent whose other commands run in a sandbox. */
export function OutsideOfSandbox({
  approval,
  report,
}: {
  readonly approval: ApprovalInfo;
  readonly report?: PolicyReport;
}) {
  if (report?.posture.kind !== 'sandboxed' || approval.binding.host !== 'gateway') return undefined;
  return (
    <Callout tone="plain" icon="review">
      <HostileText text={approval.binding.agent} /> works in a sandbox. This would run outside of it.
    </Callout>
  );
}

const VALUES = ['host', 'security', 'ask', 'askFallback'] as const;

interface RulesThatDecidedProps {
  readonly approval: ApprovalInfo;
  readonly loaded: Loaded<PolicyReport>;
}

export function RulesThatDecided({ approval, loaded }: RulesThatDecidedProps) {
  const { judgement, node, binding } = approval;
  const effective = binding.host === 'gateway' ? loaded.value?.gateway : loaded.value?.posture.effective;
  return (
    <details>
      <summary>Which rules decided</summary>
      <ul class="trace">
        <li>
          <CodeText text={judgement.code} />
          <span class="note">
            <HostileText text={judgement.reason} />
          </span>
        </li>
        {judgement.stages.flatMap(({ rule }, i) =>
          rule === undefined ? (
            []
          ) : (
            <li key={i}>
              <CodeText text={rule.pattern} />
              <span class="note">the rule of stage {i + 1}</span>
            </li>
          ),
        )}
        {effective === undefined
          ? undefined
          : VALUES.map((name) => (
              <li key={name}>
                <CodeText text={`${name}=${effective[name]}`} />
                <span class="note">
                  now, from <HostileText text={effective.from[name]} />
                </span>
              </li>
            ))}
        {node === undefined ? undefined : (
          <li class="note">
            The rules of node <HostileText text={node.name} /> decided.
          </li>
        )}
      </ul>
      {loaded.error === undefined ? undefined : <FaultNote error={loaded.error} />}
    </details>
  );
}
