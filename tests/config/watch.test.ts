import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchConfig } from '../../src/config/load/watch.ts';
import { until } from '../support/patience.ts';
import { makeFolder } from '../support/folder.ts';

/** Watches the configuration of a project, and counts what is told. */
function watched(files: Readonly<Record<string, string>> = {}) {
  const root = makeFolder({ 'project/deep/.keep': '', ...files });
  const told = { times: 0 };
  const env = { HOME: root, XDG_CONFIG_HOME: join(root, 'xdg') };
  const stop = watchConfig(join(root, 'project', 'deep'), () => told.times++, { env, quietMs: 10, lookMs: 50 });
  onTestFinished(stop);
  /** Does something, and waits until it is told. */
  const tells = async (change: () => void): Promise<void> => {
    const before = told.times;
    change();
    await until(() => told.times > before, 'a change of the configuration');
  };
  return { root, stop, told, tells };
}

describe('a watch on the configuration', () => {
  it('reports every kind of change', async () => {
    const { root, tells } = watched({ 'project/pincer.jsonc': '{}' });
    const file = join(root, 'project', 'pincer.jsonc');
    const user = join(root, 'xdg', 'pincer');
    await tells(() => writeFileSync(file, '{ tools: {} }'));
    await tells(() => {
      writeFileSync(`${file}.new`, '{ agents: {} }');
      renameSync(`${file}.new`, file);
    });
    await tells(() => writeFileSync(file, '{ agents: { list: [] } }'));
    await tells(() => rmSync(file));
    await tells(() => writeFileSync(file, '{}'));
    await tells(() => writeFileSync(join(root, 'project', 'deep', 'pincer.jsonc'), '{}'));
    await tells(() => {
      mkdirSync(user, { recursive: true });
      writeFileSync(join(user, 'pincer.jsonc'), '{}');
    });
    await tells(() => writeFileSync(join(user, 'pincer.jsonc'), '{ tools: {} }'));
  });

  it('follows a symlink', async () => {
    const { root, tells } = watched({ 'elsewhere/real.jsonc': '{}' });
    await tells(() => symlinkSync(join(root, 'elsewhere', 'real.jsonc'), join(root, 'project', 'pincer.jsonc')));
    await tells(() => writeFileSync(join(root, 'elsewhere', 'real.jsonc'), '{ tools: {} }'));
  });

  it('reports simultaneous changes once, and ignores other files', async () => {
    const { root, told, tells } = watched({ 'project/pincer.jsonc': '{}' });
    writeFileSync(join(root, 'project', 'other.jsonc'), '{}');
    await tells(() => {
      for (let i = 0; i < 20; i++) writeFileSync(join(root, 'project', 'pincer.jsonc'), `{ /* ${i} */ }`);
    });
    expect(told.times).toBe(1);
  });

  it('reports nothing after it is stopped', async () => {
    const { root, stop, told } = watched({ 'project/pincer.jsonc': '{}' });
    const other = { times: 0 };
    onTestFinished(
      watchConfig(join(root, 'project'), () => other.times++, {
        env: { HOME: root, XDG_CONFIG_HOME: join(root, 'xdg') },
        quietMs: 10,
        lookMs: 50,
      }),
    );
    stop();
    writeFileSync(join(root, 'project', 'pincer.jsonc'), '{ tools: {} }');
    await until(() => other.times > 0, 'the change, for the other watch');
    expect(told.times).toBe(0);
  });
});
