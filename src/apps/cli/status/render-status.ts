import type { Paint } from '../../terminal/paint.ts';
import { actorText } from '../../../wire/actor.ts';
import { spanText } from '../approvals/approval-text.ts';
import { valuesText } from '../../../hosts/gateway/posture/posture.ts';
import { brokenText, postureLines } from '../../terminal/posture-lines.ts';
import { NO_CLIENT } from '../no-client.ts';
import { stateText } from '../node/state-text.ts';
import { durationText } from '../ps/run.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { Status } from './gather-status.ts';

const LABEL = 11;
const MOST_LINES = 5;
const LONGEST_COMMAND = 60;

export function renderStatus(status: Status, now: number, style: Paint): string {
  const parts: readonly (readonly [string, readonly Line[]])[] = [
    ['version', [`pincer ${status.version} on Node ${status.node}`]],
    ['daemon', daemonLines(status, now)],
    ...nodeRows(status),
    ...ownNodeRows(status, now),
    ...(status.serve === undefined ? [] : [['http', [`${status.serve.url} (pid ${status.serve.pid})`]] as const]),
    ['sessions', sessionLines(status)],
    ['approvals', approvalLines(status, now)],
    ['policy', policyLines(status, style)],
    ['sandbox', [sandboxLine(status)]],
    ['config', configLines(status)],
    ['clients', clientLines(status)],
    ['state', [status.stateDir]],
  ];
  return parts
    .map(([label, lines]) =>
      lines.map((line, at) => `${style.quiet((at === 0 ? label : '').padEnd(LABEL))}${shown(line)}\n`).join(''),
    )
    .join('');
}

/** Untrusted text, or a line that is already escaped and coloured. */
type Line = string | { readonly painted: string };

function shown(line: Line): string {
  return typeof line === 'string' ? visibleLine(line) : line.painted;
}

function daemonLines({ daemon }: Status, now: number): readonly string[] {
  if ('problem' in daemon) return [daemon.problem];
  if (!daemon.running) return ['not running; commands start it when needed'];
  const { pid, version, startedAt, memoryBytes, socket } = daemon;
  const minutes = Math.floor((now - startedAt) / 60_000);
  return [`pid ${pid}, version ${version}, up for ${minutes} min, ${Math.round(memoryBytes / 1e6)} MB`, socket];
}

function nodeRows({ daemon }: Status): readonly (readonly [string, readonly string[]])[] {
  if (!('nodes' in daemon) || daemon.nodes === undefined) return [];
  const { url, paired, connected, pending, nats } = daemon.nodes;
  const broken = nats === undefined || nats.connected ? [] : [`not connected to NATS: ${nats.reason ?? 'unknown'}`];
  const waiting = pending === 0 ? [] : [`${pending} waiting for approval: pincer nodes pending`];
  return [['nodes', [`${connected} of ${paired} connected, at ${url}`, ...broken, ...waiting]]];
}

function ownNodeRows({ ownNode }: Status, now: number): readonly (readonly [string, readonly string[]])[] {
  if (ownNode === undefined) return [];
  const { gateway, connection, since = now, name } = ownNode;
  const where = gateway === undefined ? 'not paired' : `of the gateway ${gateway.url}`;
  const state =
    connection === undefined
      ? 'pincer node run is not running'
      : `${stateText(connection)}, for ${durationText(now - since)}`;
  return [['node', [`${name}, ${where}`, state]]];
}

function sessionLines({ sessions, daemon }: Status): readonly string[] {
  const finished = 'running' in daemon && daemon.running ? daemon.sessions.finished : 0;
  const shown = sessions
    .slice(0, MOST_LINES)
    .map((session) => `${session.id}  ${actorText(session)}  ${short(session.command)}`);
  const more = sessions.length > MOST_LINES ? ['… pincer ps lists all'] : [];
  return [`${sessions.length} running, ${finished} finished`, ...shown, ...more];
}

function approvalLines({ approvals, daemon }: Status, now: number): readonly string[] {
  const waiting = 'running' in daemon && daemon.running ? daemon.pendingApprovals : 0;
  if (waiting === 0) return ['no pending approval requests'];
  const shown = approvals
    .slice(-MOST_LINES)
    .map(({ id, command, expiresAt, ...actor }) =>
      [id, actorText(actor), `${short(command)} (${spanText(expiresAt - now)} left)`].join('  '),
    );
  const more = waiting > shown.length ? ['… pincer approvals list shows all'] : [];
  return [`${waiting} pending: pincer approvals watch`, ...shown, ...more];
}

function policyLines({ policy, agent, folder }: Status, style: Paint): readonly Line[] {
  const where = `for agent ${agent} in ${folder}`;
  if ('problem' in policy) {
    const { posture, problem } = policy;
    return [
      where,
      ...(posture === undefined ? [problem] : postureLines(posture, style).map((painted) => ({ painted }))),
    ];
  }
  const { broken, remarks, posture } = policy;
  return [
    where,
    ...postureLines(posture, style).map((painted) => ({ painted })),
    valuesText(posture),
    ...(broken === undefined ? [] : [brokenText(broken, posture)]),
    ...remarks,
  ];
}

function sandboxLine({ sandbox }: Status): string {
  if ('problem' in sandbox) return sandbox.problem;
  const { backend, unavailable, running } = sandbox;
  const others = running === 0 ? '' : `; ${running} running: pincer sandbox list`;
  if (backend === 'off') return `off for this agent${others}`;
  return `${backend}: ${unavailable === undefined ? 'works here' : `cannot be used: ${unavailable}`}${others}`;
}

function configLines({ config }: Status): readonly string[] {
  const files = config.files.filter(({ exists }) => exists).map(({ layer, path }) => `${layer}: ${path}`);
  const problems = config.problems.map(({ severity, message, at }) =>
    at === undefined ? `${severity}: ${message}` : `${severity}: ${message} (${at})`,
  );
  return [...(files.length === 0 ? ['no configuration file; defaults apply'] : files), ...problems];
}

function clientLines({ clients, ownTools }: Status): readonly string[] {
  if (clients.length === 0) return [NO_CLIENT];
  return [
    ...clients.map(({ title, scope, part, path }) => `${title} (${scope} ${part}): ${path}`),
    ...ownTools.map(({ text }) => text),
  ];
}

function short(command: string): string {
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND - 1)}…` : command;
}
