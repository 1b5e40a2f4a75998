/** The descriptors of the programs of a launch, as redirections set them. */
import { expect, test } from 'vitest';
import type { LaunchStage, StageStreams } from '../../../src/hosts/process/launch.ts';
import { readStreamHeader, streamHeader } from '../../../src/hosts/process/streams/stream-header.ts';
import { launchOf, makeLauncher, sh } from '../../support/launching.ts';

const BOTH = 'echo out; echo err >&2';

function staged(script: string, streams: StageStreams): LaunchStage {
  return { ...sh(script), streams };
}

interface Received {
  readonly streams: Readonly<Record<string, string>>;
  readonly exit: unknown;
}

async function received(
  stages: readonly [LaunchStage, ...LaunchStage[]],
  inputs: Readonly<Record<`in${number}`, string>> = {},
): Promise<Received> {
  const launcher = await makeLauncher();
  const streams: Record<string, string> = {};
  const take = (name: string, bytes: Uint8Array): boolean => {
    streams[name] = (streams[name] ?? '') + Buffer.from(bytes).toString();
    return true;
  };
  let ended: (exit: unknown) => void = () => {};
  const end = new Promise<unknown>((resolve) => (ended = resolve));
  const launched = await launcher.launch(launchOf(stages, { streams: 'apart' }), {
    output: take,
    collected: take,
    exited: ended,
  });
  for (const [name, text] of Object.entries(inputs)) {
    await launched.write(Buffer.from(text), name as `in${number}`);
    launched.endInput(name as `in${number}`);
  }
  return { exit: await end, streams };
}

const ENDED = { kind: 'code', code: 0 };

test.each<[string, readonly [LaunchStage, ...LaunchStage[]], Readonly<Record<string, string>>]>([
  ['`> f`', [staged(BOTH, { in: 'null', out: 'out1', err: 'err' })], { out1: 'out\n', err: 'err\n' }],
  ['`> f 2>&1`', [staged(BOTH, { in: 'null', out: 'out1', err: 'out1' })], { out1: 'out\nerr\n' }],
  ['`2> f > g`', [staged(BOTH, { in: 'null', out: 'out2', err: 'out1' })], { out1: 'err\n', out2: 'out\n' }],
  ['`2>&1 > /dev/null`', [staged(BOTH, { in: 'null', out: 'null', err: 'out' })], { out: 'err\n' }],
  [
    '`|&`',
    [
      staged(BOTH, { in: 'null', out: 'next', err: 'next' }),
      staged('tr a-z A-Z', { in: 'previous', out: 'out', err: 'err' }),
    ],
    { out: 'OUT\nERR\n' },
  ],
  [
    '`> f | cat`, whose reader gets no input',
    [
      staged(BOTH, { in: 'null', out: 'out1', err: 'err' }),
      staged('cat; echo end', { in: 'previous', out: 'out', err: 'err' }),
    ],
    { out1: 'out\n', err: 'err\n', out: 'end\n' },
  ],
])('a program has the descriptors of %s', async (_what, stages, streams) => {
  expect(await received(stages)).toEqual({ exit: ENDED, streams });
});

test('each program of a pipeline can have an input of its own', async () => {
  const stages = [
    staged('cat >&2', { in: 'in1', out: 'next', err: 'err' }),
    staged('cat', { in: 'in2', out: 'out', err: 'err' }),
  ] as const;
  expect(await received(stages, { in1: 'first', in2: 'second' })).toEqual({
    exit: ENDED,
    streams: { err: 'first', out: 'second' },
  });
});

test('a program has its own variables', async () => {
  const stage = { ...staged('echo $A $B', { in: 'null', out: 'out', err: 'err' }), env: { A: 'one', B: 'two' } };
  expect(await received([stage])).toEqual({ exit: ENDED, streams: { out: 'one two\n' } });
});

test.each(['in', 'out', 'err', 'in1', 'out255'] as const)('the header of the stream %s is read back', (name) => {
  const token = 'a'.repeat(32);
  expect(readStreamHeader(streamHeader(token, 7, name))).toEqual({ token, id: 7, name });
});

test.each(['e01', 'x00', 'o0', 'ozz'])('a header with the name %s is invalid', (name) => {
  expect(readStreamHeader(`${'a'.repeat(32)}00000007${name}\n`)).toBeUndefined();
});
