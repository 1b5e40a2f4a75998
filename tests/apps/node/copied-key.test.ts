/** Two machines with one key, as where the state folder of a node was copied. */
import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '../../support/patience.ts';
import { runPincer } from '../serve/serving.ts';
import { home, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';

it('are both refused, the operator of the gateway hears of it, and can allow the node again', async () => {
  const { gateway } = await startedGateway();
  const { node, running } = await invitedNode(gateway);
  await running.end();
  const copy = home(RUNS_ALL);
  cpSync(node.stateDir, copy.stateDir, { recursive: true });
  const machines = [started(node, ['node', 'run']), started(copy, ['node', 'run'])];
  const notices = async (): Promise<readonly string[]> =>
    (await runPincer(gateway, ['events', '--json'])).stdout
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { readonly kind: string; readonly text: string }]))
      .flatMap(({ kind, text }) => (kind === 'node-cloned' ? [text] : []));
  const isRefused = ({ lines }: (typeof machines)[number]): boolean => lines.at(-1)?.['code'] === 'NODE_CLONED';
  await until(() => machines.every(isRefused), 'the refusal of both machines');
  expect(await notices()).toEqual([expect.stringContaining('node n is refused: two processes use its key')]);
  const shown = (await runPincer(gateway, ['nodes', 'show', 'n', '--human'])).stdout;
  expect(shown).toContain('two processes use its key');
  const { id } = (await json(gateway, ['nodes', 'show', 'n'])) as { readonly id: string };
  const offline = await runPincer(gateway, ['exec', '--host', 'node', '--', 'true']);
  expect([offline.code, offline.stderr]).toEqual([3, expect.stringContaining('NODE_OFFLINE')]);
  await machines[1]!.end();
  expect((await runPincer(gateway, ['nodes', 'approve', id, '--human'])).stdout).toContain('may connect again');
  await until(() => machines[0]!.state() === 'connected', 'the connection');
  expect((await runPincer(gateway, ['exec', '--host', 'node', '--', 'true'])).code).toBe(0);
});
