import { expect, test } from 'vitest';
import { Typist } from '../../../../../src/page/screens/sessions/live/typist.ts';
import type { ControlAnswer, SessionInput } from '../../../../../src/wire/session.ts';
import { until } from '../../../../support/patience.ts';
import { sessionExample } from '../session-example.ts';

function start(answer: ControlAnswer | Promise<ControlAnswer> = { ok: true, session: sessionExample() }) {
  const inputs: string[] = [];
  const failures: unknown[] = [];
  const controls: boolean[] = [];
  const waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const typist = new Typist({
    async control(take) {
      controls.push(take);
      return answer;
    },
    input: (input: SessionInput) => {
      inputs.push(input.kind === 'raw' ? atob(input.base64) : input.kind);
      return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    },
    fail: (error) => failures.push(error),
  });
  return { typist, inputs, failures, controls, waiting };
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('keys that are pressed while a message is on its way go with the next one, in order', async () => {
  const { typist, inputs, waiting } = start();
  await typist.take();
  typist.type(bytes('a'));
  typist.type(bytes('b'));
  typist.type(bytes('c'));
  expect(inputs).toEqual(['a']);
  waiting[0]!.resolve();
  await until(() => inputs.length === 2, 'the second message');
  expect(inputs).toEqual(['a', 'bc']);
});

test('nothing is sent without the control', async () => {
  const { typist, inputs, controls } = start({
    ok: false,
    reason: 'taken',
    controller: { by: 'page:operator-2', since: 1 },
    message: 'taken',
  });
  typist.type(bytes('a'));
  await typist.take();
  typist.type(bytes('b'));
  await typist.release();
  expect([inputs, controls]).toEqual([[], [true]]);
});

test('a failed message ends the typing, and what was not sent is not sent later', async () => {
  const { typist, inputs, failures, waiting, controls } = start();
  await typist.take();
  typist.type(bytes('a'));
  typist.type(bytes('b'));
  waiting[0]!.reject(new Error('no link'));
  await until(() => failures.length === 1, 'the failure');
  typist.type(bytes('c'));
  expect([inputs, typist.hasControl]).toEqual([['a'], false]);
  // Otherwise the server keeps the control for this page, and nobody can type.
  expect(controls).toEqual([true, false]);
  await typist.take();
  expect([controls, typist.hasControl]).toEqual([[true, false, true], true]);
});

test('a control that arrives when the view is gone is given back', async () => {
  let grant: (answer: ControlAnswer) => void = () => undefined;
  const { typist, controls } = start(new Promise((resolve) => (grant = resolve)));
  const taking = typist.take();
  await typist.release();
  await until(() => controls.length === 1, 'the question for the control');
  grant({ ok: true, session: sessionExample() });
  await taking;
  expect([controls, typist.hasControl]).toEqual([[true, false], false]);
});

test('two presses of "Type" take the control once for all', async () => {
  const { typist, controls } = start();
  await Promise.all([typist.take(), typist.take()]);
  expect([controls, typist.hasControl]).toEqual([[true, true], true]);
});
