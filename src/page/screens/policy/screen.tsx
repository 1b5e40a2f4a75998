import { useEffect } from 'preact/hooks';
import { agentIds, agents, configuredAgents } from '../../state/agents.ts';
import { useSubtitle } from '../../state/header.ts';
import { link } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { AgentPostures } from './agent-postures.tsx';
import { Explain } from './explain.tsx';
import './policy.css';
import { Rules } from './rules.tsx';

export default function PolicyScreen() {
  const isLive = link.value.kind === 'live';
  useSubtitle('what may run, and why');
  useEffect(() => {
    if (!isLive) return;
    call('config.get', { path: 'agents.list' }).then(
      ({ value }) => {
        configuredAgents.value = agentIds(value);
      },
      () => {}, // each agent shows why the configuration cannot be read
    );
  }, [isLive]);
  return (
    <div class="column">
      <AgentPostures agents={agents.value} />
      <Explain agents={agents.value} />
      <Rules />
    </div>
  );
}
