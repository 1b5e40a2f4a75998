import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createArming } from '../../src/page/arming.ts';
import { ARM_MS } from '../../src/wire/page.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('is armed until the shown item changes by itself, and again after the delay', () => {
  const arming = createArming(() => Date.now());
  expect([arming.isArmed(), arming.armed.value]).toEqual([true, true]);
  arming.disarm();
  vi.advanceTimersByTime(ARM_MS - 1);
  expect([arming.isArmed(), arming.armed.value]).toEqual([false, false]);
  vi.advanceTimersByTime(2);
  expect([arming.isArmed(), arming.armed.value]).toEqual([true, true]);
});

it('begins the delay anew with each change', () => {
  const arming = createArming(() => Date.now());
  arming.disarm();
  vi.advanceTimersByTime(ARM_MS - 100);
  arming.disarm();
  vi.advanceTimersByTime(200);
  expect([arming.isArmed(), arming.armed.value]).toEqual([false, false]);
  vi.advanceTimersByTime(ARM_MS);
  expect([arming.isArmed(), arming.armed.value]).toEqual([true, true]);
});
