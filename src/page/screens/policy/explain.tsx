import { useEffect, useState } from 'preact/hooks';
import type { Methods } from '../../../wire/methods.ts';
import { placeText } from '../../../wire/posture.ts';
import { stageVerdict } from '../../../wire/policy.ts';
import { Button } from '../../components/button.tsx';
import { Callout, FaultNote } from '../../components/callout.tsx';
import { SelectField } from '../../components/fields.tsx';
import { HostileField } from '../../components/fields/hostile-field.tsx';
import { CodeText, CommandText, HostileText } from '../../components/hostile-text.tsx';
import { JudgedCommand } from '../../components/judged-command.tsx';
import { VerdictChip } from '../../components/verdict.tsx';
import { navigate, place } from '../../router.ts';
import { server } from '../../state/link.ts';
import { useLoaded } from '../../state/loaded.ts';
import { nodes } from '../../state/nodes.ts';
import { useRulesVersion } from '../../state/rules-version.ts';
import { call } from '../../state/server.ts';
import { argvText } from '../../text/argv.ts';
import { wholeSentence } from '../../text/sentences.ts';

type Explanation = Methods['policy.explain']['result'];
type Host = 'default' | 'gateway' | 'sandbox' | 'node';

const HOSTS: readonly { readonly value: Host; readonly text: string }[] = [
  { value: 'default', text: 'where it would run' },
  { value: 'gateway', text: 'this machine' },
  { value: 'sandbox', text: 'sandbox' },
  { value: 'node', text: 'node' },
];

/** What the address asks. Empty means: as it is configured. */
interface Asked {
  readonly command: string;
  readonly agent: string;
  readonly host: Host;
  readonly node: string;
  readonly folder: string;
}

function askedIn(query: URLSearchParams, agents: readonly string[]): Asked {
  return {
    command: query.get('c') ?? '',
    agent: query.get('agent') ?? agents[0] ?? 'main',
    host: HOSTS.find(({ value }) => value === query.get('host'))?.value ?? 'default',
    node: query.get('node') ?? '',
    folder: query.get('folder') ?? '',
  };
}

function show({ command, agent, host, node, folder }: Asked): void {
  const query = new URLSearchParams({ c: command, agent, host });
  if (host === 'node' && node !== '') query.set('node', node);
  if (folder !== '') query.set('folder', folder);
  navigate(`/policy/explain?${query}`, 'replace');
}

function explain({ command, agent, host, node, folder }: Asked, signal: AbortSignal): Promise<Explanation> {
  const isNode = host === 'node';
  // The folder of a command on a node is a path on that machine; any other one is also where the configuration comes from.
  const request = {
    command,
    ...(host === 'default' ? {} : { host }),
    ...(isNode && node !== '' ? { node } : {}),
    ...(isNode && folder !== '' ? { workdir: folder } : {}),
  };
  return call(
    'policy.explain',
    { request, agent, ...(isNode || folder === '' ? {} : { context: { folder } }) },
    signal,
  );
}

/** `/policy/explain?c=…&agent=…&host=…&node=…&folder=…`: judges a command and runs nothing. */
export function Explain({ agents }: { readonly agents: readonly string[] }) {
  const asked = askedIn(place.value.query, agents);
  const [text, setText] = useState(asked.command);
  const [folder, setFolder] = useState(asked.folder);
  useEffect(() => setText(asked.command), [asked.command]);
  useEffect(() => setFolder(asked.folder), [asked.folder]);
  const { value: found, error } = useLoaded(
    asked.command === '' ? undefined : JSON.stringify(asked),
    (signal) => explain(asked, signal),
    useRulesVersion(),
  );
  const submit = (): void => show({ ...asked, command: text, folder: folder.trim() });
  return (
    <section class="card">
      <header>
        <h2>Explain a command</h2>
        <span class="note">nothing runs</span>
      </header>
      <div class="card-body">
        <form
          class="explain-form"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {/* Without it, Enter does nothing in a form with several fields. */}
          <button type="submit" hidden />
          <SelectField
            label="Agent"
            value={asked.agent}
            options={[...new Set([...agents, asked.agent])].map((value) => ({ value, text: value }))}
            onChange={(agent) => show({ ...asked, agent })}
          />
          <SelectField
            label="Host"
            value={asked.host}
            options={HOSTS}
            // A folder of one machine is not one of another.
            onChange={(host) =>
              show({ ...asked, host, ...((host === 'node') === (asked.host === 'node') ? {} : { folder: '' }) })
            }
          />
          {asked.host === 'node' ? (
            <SelectField
              label="Node"
              value={asked.node}
              options={nodeOptions(asked.node)}
              onChange={(node) => show({ ...asked, node, folder: '' })}
            />
          ) : undefined}
          <div class="grow">
            <HostileField
              label={asked.host === 'node' ? 'Folder on the node' : 'Folder'}
              value={folder}
              given={asked.folder}
              placeholder={asked.host === 'node' ? 'its workspace' : (server.value?.workspace ?? '')}
              onInput={setFolder}
            />
          </div>
          <div class="grow explain-command">
            <HostileField
              label="Command"
              value={text}
              given={asked.command}
              placeholder="git push origin main"
              onInput={setText}
            />
          </div>
          <Button kind="main" onPress={submit}>
            Explain
          </Button>
        </form>
        {error === undefined ? undefined : <FaultNote error={error} />}
        {found === undefined ? undefined : <Answer command={asked.command} found={found} />}
      </div>
    </section>
  );
}

/** Paired nodes by id; the asked one also where it is not paired. */
function nodeOptions(asked: string): readonly { readonly value: string; readonly text: string }[] {
  const paired = nodes.value
    .filter(({ state }) => state === 'paired')
    .map(({ id, name }) => ({ value: id, text: name }));
  const isKnown = asked === '' || paired.some(({ value }) => value === asked);
  return [
    { value: '', text: 'as configured' },
    ...paired,
    ...(isKnown ? [] : [{ value: asked, text: `${asked} (not paired)` }]),
  ];
}

const WOULD = {
  allow: { tone: 'ok', icon: 'ok', text: 'Would run at once' },
  ask: { tone: 'ask', icon: 'ask', text: 'Would ask a person' },
  deny: { tone: 'no', icon: 'no', text: 'Would be denied' },
} as const;

function Answer({ command, found }: { readonly command: string; readonly found: Explanation }) {
  const { judgement, effective, isJudged, node } = found;
  const { tone, icon, text } = WOULD[judgement.verdict];
  return (
    <>
      <div class="explained">
        <JudgedCommand command={command} judgement={judgement} />
      </div>
      <Callout tone={tone} icon={icon} role="status">
        <b>{text}</b>
        <span class="note">
          <HostileText text={judgement.reason} />
          {judgement.hint === undefined ? undefined : (
            <>
              {' · '}
              <HostileText text={judgement.hint} />
            </>
          )}
        </span>
      </Callout>
      {judgement.stages.length === 0 ? undefined : <Stages judgement={judgement} />}
      <p class="note">
        {isJudged ? (
          <>
            <CodeText text={`host=${effective.host}`} /> <CodeText text={`security=${effective.security}`} />{' '}
            <CodeText text={`ask=${effective.ask}`} />
          </>
        ) : (
          wholeSentence(placeText(found))
        )}
        {node === undefined ? undefined : (
          <>
            {' '}
            by the rules of node <HostileText text={node.name} />
          </>
        )}
      </p>
    </>
  );
}

function Stages({ judgement: { verdict, stages } }: Pick<Explanation, 'judgement'>) {
  return (
    <ol class="stages">
      {stages.map((stage, i) => (
        <li key={i}>
          <span class="stage-number">{i + 1}</span>
          <VerdictChip verdict={stageVerdict(verdict, stage.verdict)} />
          <div>
            <CommandText text={argvText(stage.argv)} />
            <div class="note">
              <HostileText text={stage.reason} /> <CodeText text={stage.code} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}
