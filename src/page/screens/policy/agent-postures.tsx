import { placeText, type PolicyReport, type PostureKind } from '../../../wire/posture.ts';
import { FaultNote } from '../../components/callout.tsx';
import { Chip, type Tone } from '../../components/chip.tsx';
import { CodeText, HostileText } from '../../components/hostile-text.tsx';
import type { IconName } from '../../components/icon.tsx';
import { limited } from '../../state/limited.ts';
import { useLoaded } from '../../state/loaded.ts';
import { useRulesVersion } from '../../state/rules-version.ts';
import { call } from '../../state/server.ts';
import { wholeSentence } from '../../text/sentences.ts';

const KINDS: Readonly<Record<PostureKind, { readonly tone: Tone; readonly icon: IconName; readonly text: string }>> = {
  open: { tone: 'no', icon: 'warn', text: 'Open' },
  judged: { tone: 'ok', icon: 'policy', text: 'Judged' },
  sandboxed: { tone: 'ok', icon: 'review', text: 'Sandboxed' },
  denied: { tone: 'muted', icon: 'no', text: 'Denied' },
  failing: { tone: 'no', icon: 'warn', text: 'Fails' },
};

/** One sentence for each agent, computed by the code that decides about its commands. */
export function AgentPostures({ agents }: { readonly agents: readonly string[] }) {
  return (
    <section class="card">
      <header>
        <h2>What happens to commands</h2>
        <span class="note">in the workspace of this server</span>
      </header>
      <dl class="postures">
        {agents.map((agent) => (
          <AgentPosture key={agent} agent={agent} />
        ))}
      </dl>
    </section>
  );
}

const VALUES = ['host', 'security', 'ask', 'askFallback'] as const;

/** There may be more agents than calls that a page may have open. */
const inTurn = limited(4);

function AgentPosture({ agent }: { readonly agent: string }) {
  const { value: report, error } = useLoaded(
    agent,
    (signal) => inTurn(() => call('policy.posture', { agent }, signal)),
    useRulesVersion(),
  );
  return (
    <div>
      <dt>
        <HostileText text={agent} />
      </dt>
      <dd>
        {error === undefined ? undefined : <FaultNote error={error} />}
        {report === undefined ? undefined : <Report report={report} />}
      </dd>
    </div>
  );
}

function Report({ report }: { readonly report: PolicyReport }) {
  const { posture, broken, remarks } = report;
  const { tone, icon, text } = KINDS[posture.kind];
  const { effective, isJudged, limits, change } = posture;
  return (
    <>
      <p>
        <Chip tone={tone} icon={icon} boxed>
          {text}
        </Chip>{' '}
        <HostileText text={wholeSentence(posture.commands)} />
        {limits === undefined ? undefined : (
          <>
            {' '}
            <HostileText text={wholeSentence(limits)} />
          </>
        )}
      </p>
      <p class="note values">
        {VALUES.filter((name) => isJudged || name === 'host').map((name) => (
          <span key={name}>
            <CodeText text={`${name}=${effective[name]}`} /> <HostileText text={effective.from[name]} />
          </span>
        ))}
        {isJudged ? undefined : <span>{placeText(posture)}</span>}
      </p>
      {broken === undefined ? undefined : (
        <p class="note">
          The approvals file is invalid, so all commands are denied: <HostileText text={broken} />
        </p>
      )}
      {change === undefined ? undefined : (
        <p class="note">
          More protection: <CodeText text={change} />
        </p>
      )}
      {remarks.map((remark) => (
        <p key={remark} class="note">
          <HostileText text={remark} />
        </p>
      ))}
    </>
  );
}
