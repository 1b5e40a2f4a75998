import { FaultNote } from '../../components/callout.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { Split } from '../../components/split.tsx';
import { place } from '../../router.ts';
import { useSubtitle } from '../../state/header.ts';
import { server } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { call } from '../../state/server.ts';
import { ToolForm } from './tool-form.tsx';
import './try.css';

const EFFECTS = { reads: 'reads', writes: 'may write', runs: 'runs commands' } as const;

/** Calls a tool as the served agent: the same tools, the same policy, the same result. */
export default function TryScreen() {
  const { value, error } = useLoaded('tools', async () => (await call('tool.list', { as: 'agent' })).tools);
  const wanted = place.value.query.get('tool') ?? undefined;
  const tool = value?.find(({ name }) => name === wanted);
  const agent = server.value?.agent ?? '';
  useSubtitle(agent === '' ? '' : `as agent ${agent}, with its policy`);
  return (
    <Split
      class="try"
      openId={wanted}
      back={{ href: '/try', text: 'All tools' }}
      list={
        <nav class="list" aria-label="Tools">
          {error === undefined ? undefined : <FaultNote error={error} />}
          {value?.map(({ name, description, effects }) => (
            <a
              key={name}
              class="item"
              href={`/try?${new URLSearchParams({ tool: name })}`}
              aria-current={name === wanted ? 'true' : undefined}
            >
              <span class="item-edge">
                <code>{name}</code>
                <span>{EFFECTS[effects]}</span>
              </span>
              <span class="item-why">
                <HostileText text={description.split(/(?<=\.)\s/u)[0] ?? ''} />
              </span>
            </a>
          ))}
        </nav>
      }
    >
      {tool !== undefined ? (
        <ToolForm key={tool.name} tool={tool} />
      ) : (
        <div class="detail">
          {value === undefined ? undefined : (
            <EmptyState icon="try" title={wanted === undefined ? 'Choose a tool' : 'The agent has no such tool'}>
              A call from here is a call of the agent. If it needs approval, it waits in Approvals.
            </EmptyState>
          )}
        </div>
      )}
    </Split>
  );
}
