import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ARM_MS } from '../../../../src/wire/page.ts';
import { arming, followRequests } from '../../../../src/page/screens/nodes/pairing-arming.ts';
import { nodes } from '../../../../src/page/state/nodes.ts';
import type { NodeInfo } from '../../../../src/wire/nodes/node.ts';

const request = (id: string, changes: Partial<NodeInfo> = {}): NodeInfo =>
  ({ id, name: id, state: 'pending', code: '12345678', ...changes }) as NodeInfo;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  nodes.value = [];
});

it('waits with answers to pairing requests after one came, ended or got other digits', () => {
  const end = followRequests();
  const armedAfter = (list: readonly NodeInfo[]): boolean => {
    vi.advanceTimersByTime(ARM_MS + 1);
    nodes.value = list;
    return arming.isArmed();
  };
  const [a, b] = [request('a'), request('b')];
  expect(armedAfter([a, b])).toBe(false);
  expect(armedAfter([{ ...a }, { ...b }])).toBe(true);
  expect(armedAfter([a, b, request('c', { state: 'paired' })])).toBe(true);
  expect(armedAfter([b])).toBe(false);
  expect(armedAfter([request('b', { code: '87654321' })])).toBe(false);
  end();
  expect(armedAfter([])).toBe(true);
});
