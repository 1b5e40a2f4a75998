/** The answer of `pincer status` for a person. */
import type { Paint } from '../paint.ts';
import { visibleLine } from '../visible.ts';
import type { Status } from './gather.ts';

const LABEL = 10;
const MOST_LINES = 5;
const LONGEST_COMMAND = 60;

export function showStatus(status: Status, now: number, style: Paint): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['version', [`pincer ${status.version} on Node ${status.node}`]],
    ['daemon', daemonLines(status, now)],
    ...(status.serve === undefined ? [] : [['http', [`${status.serve.url} (process ${status.serve.pid})`]] as const]),
    ['sessions', sessionLines(status)],
    ['waiting', waitingLines(status, now)],
    ['policy', policyLines(status)],
    ['sandbox', [sandboxLine(status)]],
    ['config', configLines(status)],
    ['clients', clientLines(status)],
    ['state', [status.stateDir]],
  ];
  return parts
    .map(([label, lines]) =>
      lines.map((line, at) => `${style.quiet((at === 0 ? label : '').padEnd(LABEL))}${visibleLine(line)}\n`).join(''),
    )
    .join('');
}

function daemonLines({ daemon }: Status, now: number): readonly string[] {
  if ('problem' in daemon) return [daemon.problem];
  if (!daemon.running) return ['none runs; commands start one when they need it'];
  const { pid, version, startedAt, memoryBytes, socket } = daemon;
  const minutes = Math.floor((now - startedAt) / 60_000);
  return [`process ${pid}, version ${version}, up for ${minutes} min, ${Math.round(memoryBytes / 1e6)} MB`, socket];
}

function sessionLines({ sessions, daemon }: Status): readonly string[] {
  const finished = 'running' in daemon && daemon.running ? daemon.sessions.finished : 0;
  const shown = sessions.slice(0, MOST_LINES).map(({ id, agent, command }) => `${id}  ${agent}  ${short(command)}`);
  const more = sessions.length > MOST_LINES ? ['… pincer ps has all'] : [];
  return [`${sessions.length} running, ${finished} finished`, ...shown, ...more];
}

function waitingLines({ approvals }: Status, now: number): readonly string[] {
  if (approvals.length === 0) return ['nothing waits for an answer'];
  const shown = approvals.slice(0, MOST_LINES).map(({ id, command, expiresAt }) => {
    const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1_000));
    return `${id}  ${short(command)} (for ${seconds} s)`;
  });
  return [`${approvals.length} for an answer: pincer approvals watch`, ...shown];
}

function policyLines({ policy, agent, folder }: Status): readonly string[] {
  const where = `for agent ${agent} in ${folder}`;
  if ('problem' in policy) return [where, policy.problem];
  const { host, security, ask, askFallback, from, broken, remarks } = policy;
  return [
    where,
    `host=${host} (${from.host}), security=${security} (${from.security}), ask=${ask} (${from.ask}), askFallback=${askFallback} (${from.askFallback})`,
    ...(broken === undefined ? [] : [`exec-approvals.json is not used, and everything is denied: ${broken}`]),
    ...remarks,
  ];
}

function sandboxLine({ sandbox }: Status): string {
  if ('problem' in sandbox) return sandbox.problem;
  const { backend, running } = sandbox;
  const others = running === 0 ? '' : `; ${running} running: pincer sandbox list`;
  if (backend === 'off') return `off: host=sandbox is this machine itself${others}`;
  return `${backend}: commands with host=sandbox and file tools run in it${others}`;
}

function configLines({ config }: Status): readonly string[] {
  const files = config.files.filter(({ exists }) => exists).map(({ layer, path }) => `${layer}: ${path}`);
  const problems = config.problems.map(({ severity, message, at }) =>
    at === undefined ? `${severity}: ${message}` : `${severity}: ${message} (${at})`,
  );
  return [...(files.length === 0 ? ['no file; the defaults hold'] : files), ...problems];
}

function clientLines({ clients }: Status): readonly string[] {
  if (clients.length === 0) return ['none knows us; pincer init <client> puts us in'];
  return clients.map(({ title, scope, part, path }) => `${title} (${scope} ${part}): ${path}`);
}

function short(command: string): string {
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND - 1)}…` : command;
}
