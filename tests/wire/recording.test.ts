import { expect, it } from 'vitest';
import { markLabel, markOfLabel, type RecordingMark } from '../../src/wire/sessions/recording.ts';

it.each<RecordingMark>([
  { kind: 'input', source: 'agent' },
  { kind: 'input', source: 'page' },
  { kind: 'gap', bytes: 2 ** 40 },
  { kind: 'node', state: 'disconnected' },
  { kind: 'restarted' },
  { kind: 'ended', how: 'SIGKILL' },
])('reads the label of a mark: %j', (mark) => {
  expect(markOfLabel(markLabel(mark))).toEqual(mark);
});

it.each(['', 'input', 'input root', 'gap -1 bytes', 'gap 1 bytes\n', 'ended', 'constructor'])(
  'does not read another label: %j',
  (label) => {
    expect(markOfLabel(label)).toBe(undefined);
  },
);
