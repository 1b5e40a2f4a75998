/** The built program as gateways and nodes, each with folders of its own, ended with its test. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { until } from '../../support/patience.ts';
import { type Home, makeHome, PROGRAM, runPincer } from '../serve/serving.ts';

export const RUNS_ALL = { tools: { exec: { security: 'full', ask: 'off' } } };

export interface Running {
  readonly child: ChildProcess;
  readonly lines: readonly Record<string, unknown>[];
  readonly stderr: () => string;
  readonly state: () => string | undefined;
  readonly ended: Promise<number | null>;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a command that runs until it is stopped, and prints a line of JSON for each event. `prefix` starts it. */
export function started(home: Home, args: readonly string[], prefix: readonly string[] = []): Running {
  const [file, ...rest] = [...prefix, process.execPath, PROGRAM, ...args, '--json'];
  const child = spawn(file, rest, { cwd: home.workspace, env: home.env });
  const lines: Record<string, unknown>[] = [];
  let partial = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (partial + text).split('\n');
    partial = parts.pop() ?? '';
    lines.push(...parts.map((line) => JSON.parse(line) as Record<string, unknown>));
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  onTestFinished(async () => void (await end()));
  return { child, lines, stderr: () => stderr, ended, state: () => lines.at(-1)?.['state'] as string | undefined, end };
}

export function home(config: object = {}): Home {
  const made = makeHome(config);
  onTestFinished(() => made.remove());
  return made;
}

export interface StartedGateway {
  readonly gateway: Home;
  readonly url: string;
  readonly running: Running;
}

export async function startedGateway(
  config: object = RUNS_ALL,
  listen = '127.0.0.1:0',
  prefix: readonly string[] = [],
): Promise<StartedGateway> {
  const gateway = home({ ...config, nodes: { listen } });
  const running = await gatewayIn(gateway, prefix);
  const [{ nodes }] = running.lines as unknown as readonly [{ readonly nodes: { readonly url: string } }];
  return { gateway, url: nodes.url, running };
}

/** Starts `pincer gateway` in an existing home. */
export async function gatewayIn(gateway: Home, prefix: readonly string[] = []): Promise<Running> {
  const running = started(gateway, ['gateway', '--port', '0'], prefix);
  await until(() => running.lines.length > 0 || running.child.exitCode !== null, 'the gateway');
  if (running.lines.length === 0) throw new Error(running.stderr());
  return running;
}

/** A later gateway of this home listens where its nodes look for it. */
export function keepAddress({ gateway, url }: StartedGateway, config: object = RUNS_ALL): void {
  const file = join(gateway.folder, 'config', 'pincer', 'pincer.jsonc');
  writeFileSync(file, JSON.stringify({ ...config, nodes: { listen: new URL(url).host } }));
}

/** The JSON that a command prints. */
export async function json(machine: Home, args: readonly string[]): Promise<unknown> {
  const { stdout, stderr } = await runPincer(machine, [...args, '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

export interface StartedNode {
  readonly node: Home;
  readonly running: Running;
}

export async function invitedNode(
  gateway: Home,
  config: object = RUNS_ALL,
  name = 'n',
  prefix: readonly string[] = [],
  invite: readonly string[] = [],
): Promise<StartedNode> {
  const node = home(config);
  return { node, running: await invitedIn(node, gateway, name, prefix, invite) };
}

/** Starts a node in an existing home, with an invitation. */
export async function invitedIn(
  node: Home,
  gateway: Home,
  name = 'n',
  prefix: readonly string[] = [],
  invite: readonly string[] = [],
): Promise<Running> {
  const { invitation } = (await json(gateway, ['nodes', 'invite', ...invite])) as { invitation: string };
  const args = ['node', 'run', '--invitation', '-', '--name', name, '--workspace', node.workspace];
  const running = started(node, args, prefix);
  running.child.stdin?.write(`${invitation}\n`); // it stays open, as a terminal does
  await until(() => running.state() === 'connected', 'the connection');
  return running;
}

/** Pairs by the eight digits, which both ends show. */
export async function comparedNode(
  { gateway, url }: Pick<StartedGateway, 'gateway' | 'url'>,
  config: object = RUNS_ALL,
  name = 'n',
  prefix: readonly string[] = [],
): Promise<StartedNode> {
  const node = home(config);
  const args = ['node', 'run', '--gateway', url, '--name', name, '--workspace', node.workspace];
  const running = started(node, args, prefix);
  await until(() => running.state() === 'pending', 'the request');
  const { code } = running.lines.at(-1) as { readonly code: string };
  const pending = (await json(gateway, ['nodes', 'pending'])) as readonly { readonly code: string }[];
  if (pending[0]?.code !== code) throw new Error(`the node shows ${code}, and the gateway ${pending[0]?.code}`);
  await json(gateway, ['nodes', 'approve', code]);
  await until(() => running.state() === 'connected', 'the connection');
  await json(node, ['node', 'confirm', code]);
  await until(
    () => running.lines.at(-1)?.['confirmed'] === true && running.state() === 'connected',
    'the confirmation',
  );
  return { node, running };
}
