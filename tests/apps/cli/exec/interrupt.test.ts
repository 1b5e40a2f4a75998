import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { daemonPlace } from '../../../support/daemon.ts';
import { until } from '../../../support/patience.ts';
import { whyNoBubblewrap } from '../../../support/sandbox.ts';

const program = fileURLToPath(new URL('../../../../dist/pincer.cjs', import.meta.url));

const noBubblewrap = await whyNoBubblewrap();

/** A command that says `ready` and then waits, with these traps. */
async function waiting(traps: string, config = {}): Promise<{ child: ChildProcess; text: () => string }> {
  const { env } = daemonPlace();
  const folder = join(env['HOME']!, '.config', 'pincer');
  const workspace = join(env['HOME']!, 'project');
  for (const each of [folder, workspace]) mkdirSync(each, { recursive: true });
  writeFileSync(join(folder, 'pincer.jsonc'), JSON.stringify(config));
  const script = `${traps}; echo ready; while :; do sleep 0.05; done`;
  const child = spawn(process.execPath, [program, 'exec', '-c', script], {
    cwd: workspace,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  await until(() => text.includes('ready\n'), 'the start');
  return { child, text: () => text };
}

describe.skipIf(!existsSync(program))('Ctrl-C in pincer exec', () => {
  it('reaches the program as SIGINT, which ends in its own way', async () => {
    const { child, text } = await waiting(`trap 'echo cleaned; exit 7' INT; trap 'echo terminated; exit 9' TERM`);
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([7, null]);
    expect(text()).toBe('ready\ncleaned\n');
  });

  it.skipIf(noBubblewrap !== undefined)('reaches a program in a sandbox in the same way', async () => {
    const traps = `trap 'echo cleaned; exit 7' INT; trap 'echo terminated; exit 9' TERM`;
    const { child, text } = await waiting(traps, { sandbox: { mode: 'all' } });
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([7, null]);
    expect(text()).toBe('ready\ncleaned\n');
  });

  it('ends a program that has no answer to it with that signal', async () => {
    const { child } = await waiting(':');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });

  it('ends a program that ignores it after a while', async () => {
    const { child, text } = await waiting(`trap 'echo heard' INT; trap 'echo terminated; exit 9' TERM`);
    child.kill('SIGINT');
    await once(child, 'close');
    expect(text()).toBe('ready\nheard\nterminated\n');
  });

  it('pressed again leaves at once, and the program is ended', async () => {
    const { child, text } = await waiting(`trap 'echo heard' INT; trap '' TERM`);
    child.kill('SIGINT');
    await until(() => text().includes('heard'), 'the first signal');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([130, null]);
  });
});
