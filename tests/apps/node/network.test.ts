/** A gateway and two nodes in network namespaces of their own: the built program between real addresses. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../../support/budget.ts';
import { until } from '../../support/patience.ts';
import { type Home, PROGRAM, runPincer } from '../serve/serving.ts';
import { comparedNode, invitedNode, json, RUNS_ALL, started, startedGateway } from './machines.ts';
import { cable, namespace, whyNoNamespaces } from './namespaces.ts';

const whyNot = whyNoNamespaces();
const CUTS = runs(50, 100);
const CHUNKS_PER_CUT = 10;
const CHUNK_BYTES = 16 * 1024;

/** Two cables lead from the gateway to the nodes `one` and `two`, which have these host names. */
async function network() {
  const [hub, first, second] = [namespace('hub'), namespace('host-one'), namespace('host-two')];
  const [cableOne, cableTwo] = [cable(hub, first), cable(hub, second)];
  const machines = await startedGateway(
    { ...RUNS_ALL, agents: { list: [{ id: 'alpha' }, { id: 'beta' }] } },
    '0.0.0.0:0',
    hub.prefix,
  );
  const port = new URL(machines.url).port;
  const at = (address: string): string => `wss://${address}:${port}`;
  const { gateway } = machines;
  const one = await comparedNode({ gateway, url: at(cableOne.addresses[0]) }, RUNS_ALL, 'one', first.prefix);
  const invite = ['--url', at(cableTwo.addresses[0])];
  const two = await invitedNode(gateway, RUNS_ALL, 'two', second.prefix, invite);
  for (const [index, name] of ['one', 'two'].entries()) {
    await runPincer(gateway, ['config', 'set', `agents.list[${index}].tools.exec.host`, 'node']);
    await runPincer(gateway, ['config', 'set', `agents.list[${index}].tools.exec.node`, name]);
  }
  return { gateway, one, two, cableOne, cableTwo, second };
}

async function outputOf(gateway: Home, agent: string, command: readonly string[]): Promise<string> {
  const { stdout, stderr } = await runPincer(gateway, ['exec', '--agent', agent, '--', ...command]);
  return stdout + stderr;
}

describe.skipIf(whyNot !== undefined)(
  `two nodes in networks of their own${whyNot === undefined ? '' : ` (${whyNot})`}`,
  () => {
    it('serve the agents that are bound to them, and one that dies loses its command', async () => {
      const { gateway, one, two, cableOne, cableTwo, second } = await network();
      for (const { node } of [one, two]) writeFileSync(join(node.workspace, `only-${node === one.node ? 1 : 2}`), '');
      expect([
        await outputOf(gateway, 'alpha', ['uname', '-n']),
        await outputOf(gateway, 'beta', ['uname', '-n']),
        await outputOf(gateway, 'alpha', ['ls']),
        await outputOf(gateway, 'beta', ['ls']),
      ]).toEqual(['host-one\n', 'host-two\n', 'a.txt\nonly-1\n', 'a.txt\nonly-2\n']);
      const nodes = (await json(gateway, ['nodes', 'list'])) as readonly { name: string; remote: string }[];
      expect(nodes.map(({ name, remote }) => [name, remote.replace(/:\d+$/u, '')])).toEqual([
        ['one', cableOne.addresses[1]],
        ['two', cableTwo.addresses[1]],
      ]);
      const begun = await runPincer(gateway, ['exec', '--agent', 'beta', '--background', '--', 'sleep', '600']);
      const session = begun.stdout.trim();
      const found = async (): Promise<Record<string, unknown> | undefined> => {
        const all = (await json(gateway, ['ps', '--all'])) as readonly Record<string, unknown>[];
        return all.find(({ id }) => id === session);
      };
      await two.running.end('SIGKILL');
      await until(async () => (await found())?.['unreachableSince'] !== undefined, 'the broken connection');
      expect(await found()).toMatchObject({ status: 'running', node: { name: 'two' } });
      const again = started(two.node, ['node', 'run'], second.prefix);
      await until(() => again.state() === 'connected', 'the connection');
      await until(async () => (await found())?.['status'] !== 'running', 'the end of the session');
      expect(await found()).toMatchObject({ status: 'failed', failure: 'lost' });
      expect(await outputOf(gateway, 'alpha', ['uname', '-n'])).toBe('host-one\n');
    });

    it('deliver the whole output over a cable that is cut again and again', async () => {
      const { gateway, two, cableTwo } = await network();
      // Each chunk differs, so that a lost, repeated or exchanged one changes the hash.
      const script = join(two.node.workspace, 'print.mjs');
      const source = `
      import { createHash } from 'node:crypto';
      const chunk = (i) => Buffer.alloc(${CHUNK_BYTES}, createHash('sha256').update(String(i)).digest('hex') + '\\n');
      for (let i = 0; i < ${CUTS * CHUNKS_PER_CUT}; i++) {
        process.stdout.write(chunk(i));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }`;
      writeFileSync(script, source);
      const expected = createHash('sha256');
      for (let i = 0; i < CUTS * CHUNKS_PER_CUT; i++)
        expected.update(Buffer.alloc(CHUNK_BYTES, `${createHash('sha256').update(String(i)).digest('hex')}\n`));
      const args = [PROGRAM, 'exec', '--agent', 'beta', '--', process.execPath, script];
      const child = spawn(process.execPath, args, { cwd: gateway.workspace, env: gateway.env });
      onTestFinished(() => void child.kill());
      const seen = createHash('sha256');
      let bytes = 0;
      let stderr = '';
      child.stdout.on('data', (part: Buffer) => {
        seen.update(part);
        bytes += part.length;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const closed = once(child, 'close');
      for (let i = 0; i < CUTS; i++) {
        const from = i * CHUNKS_PER_CUT * CHUNK_BYTES;
        await until(() => bytes > from || child.exitCode !== null, `the output after ${i} cuts: ${stderr}`);
        cableTwo.cut();
        cableTwo.restore();
      }
      const [code] = (await closed) as [number];
      expect({ code, stderr, bytes, hash: seen.digest('hex') }).toEqual({
        code: 0,
        stderr: '',
        bytes: CUTS * CHUNKS_PER_CUT * CHUNK_BYTES,
        hash: expected.digest('hex'),
      });
    });
  },
);
