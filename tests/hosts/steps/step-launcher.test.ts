/** Steps run one after the other in one session. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localFiles } from '../../../src/hosts/files/files.ts';
import type { Step } from '../../../src/wire/steps.ts';
import { makeFolder } from '../../support/folder.ts';
import { makeLauncher } from '../../support/launching.ts';
import { eventLoopTurns, UNTIL_GO, until } from '../../support/patience.ts';
import { AUTHOR, command, into, pipeline, plain, runSteps, type SteppingOptions } from '../../support/stepping.ts';

let count = 0;

async function setting(files: Readonly<Record<string, string>> = {}): Promise<SteppingOptions> {
  const workspace = makeFolder(files);
  return {
    runner: await makeLauncher(),
    workspace,
    stateDir: makeFolder(),
    session: `steps-${process.pid}-${++count}`,
  };
}

const when = (step: Step, how: Step['when']): Step => ({ ...step, when: how });

test('steps run in order, and `&&` and `||` look at the last status', async () => {
  const options = await setting();
  const steps = [
    pipeline(command(['false'])),
    when(pipeline(command(['echo', 'skipped'])), 'ok'),
    when(pipeline(command(['echo', 'failed'])), 'failed'),
    when(pipeline(command(['echo', 'then'])), 'ok'),
    { ...pipeline(command(['true'])), negate: true as const },
  ];
  const { end } = await runSteps(steps, options);
  expect(await end).toEqual({ exit: { kind: 'code', code: 1 }, out: 'failed\nthen\n', err: '' });
});

test('output goes to a file of the workspace when the step ends, and undo takes all steps back', async () => {
  const options = await setting({ old: 'old\n' });
  const { workspace, stateDir } = options;
  const steps = [
    pipeline(command(['mkdir', 'a'])),
    pipeline(command(['echo', 'one'], [into('a/f')])),
    pipeline(command(['echo', 'two'], [into('a/f', 1, 'yes')])),
    pipeline(command(['sort', 'old'], [into('old')])),
    pipeline(command(['mv', 'a', 'b'])),
    pipeline(command(['cat', 'b/f'])),
    pipeline(command(['rm', 'old'])),
    pipeline(command(['chmod', '600', 'b/f'])),
  ];
  const { end } = await runSteps(steps, options);
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'one\ntwo\n', err: '' });
  expect([existsSync(join(workspace, 'old')), readFileSync(join(workspace, 'b/f'), 'utf8')]).toEqual([
    false,
    'one\ntwo\n',
  ]);
  const files = localFiles({ cwd: workspace, stateDir, author: AUTHOR });
  const changes = await files.changes();
  expect(changes.list()).toHaveLength(1);
  expect(changes.undo()).toMatchObject({ ok: true });
  expect([
    existsSync(join(workspace, 'a')),
    existsSync(join(workspace, 'b')),
    readFileSync(join(workspace, 'old'), 'utf8'),
  ]).toEqual([false, false, 'old\n']);
  expect(changes.redo()).toMatchObject({ ok: true });
  expect([existsSync(join(workspace, 'old')), readFileSync(join(workspace, 'b/f'), 'utf8')]).toEqual([
    false,
    'one\ntwo\n',
  ]);
  files.close();
});

test('`cd` changes the folder of later steps', async () => {
  const options = await setting({ 'a/f': 'x' });
  const steps = [
    { when: 'always' as const, start: 0, end: 0, does: { kind: 'folder' as const, to: plain('a') } },
    pipeline(command(['ls'])),
    { when: 'always' as const, start: 0, end: 0, does: { kind: 'folder' as const, to: plain('missing') } },
    pipeline(command(['ls'])),
  ];
  const { end } = await runSteps(steps, options);
  expect(await end).toEqual({
    exit: { kind: 'code', code: 0 },
    out: 'f\nf\n',
    err: 'pincer: cd: missing: No such file or directory\n',
  });
});

test('a verb takes part in a pipeline', async () => {
  const options = await setting({ f: 'b\na\n' });
  const { end } = await runSteps(
    [pipeline(command(['sort', 'f']), command(['tee', 'g']), command(['tr', 'a-z', 'A-Z']))],
    options,
  );
  expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'A\nB\n', err: '' });
  expect(readFileSync(join(options.workspace, 'g'), 'utf8')).toBe('a\nb\n');
});

test('tee writes its files when all commands before it have ended, whatever its own input is', async () => {
  const options = await setting({ script: 'first\n', other: 'second\n' });
  const { workspace } = options;
  const late = command(['sh', '-c', `touch begun; ${UNTIL_GO}; cat script >&2`]);
  const ownInput = command(['tee', 'script'], [{ kind: 'input', file: plain('other') }]);
  for (const rest of [[ownInput], [command(['cat', 'other']), command(['tee', 'script'])]]) {
    const { end } = await runSteps([pipeline(late, ...rest)], options);
    await until(() => existsSync(join(workspace, 'begun')), 'the first command to begin');
    await eventLoopTurns();
    writeFileSync(join(workspace, 'go'), '');
    expect(await end).toEqual({ exit: { kind: 'code', code: 0 }, out: 'second\n', err: 'first\n' });
    expect(readFileSync(join(workspace, 'script'), 'utf8')).toBe('second\n');
    writeFileSync(join(workspace, 'script'), 'first\n');
    for (const name of ['begun', 'go']) rmSync(join(workspace, name));
  }
});

test.each([
  [['cp', 'a', 'd', 'b'], "cp: target 'b': Not a directory"],
  [['mv', 'a', 'd', 'none'], "mv: target 'none': No such file or directory"],
  [['cp', '-t', 'b', 'a'], "cp: target directory 'b': Not a directory"],
  [['cp', '-T', 'a', 'b', 'd'], "cp: extra operand 'd'"],
  [['mv', '-T', '-t', 'd', 'a'], 'mv: -t and -T cannot be combined'],
])('%j changes nothing and says what its target is', async (words, message) => {
  const options = await setting({ a: 'a\n', b: 'b\n', 'd/c': '' });
  const { end } = await runSteps([pipeline(command(words))], options);
  expect(await end).toEqual({ exit: { kind: 'code', code: 1 }, out: '', err: `${message}\n` });
  expect(['a', 'b'].map((name) => readFileSync(join(options.workspace, name), 'utf8'))).toEqual(['a\n', 'b\n']);
});
