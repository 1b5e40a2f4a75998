import { afterEach, expect, it, vi } from 'vitest';
import { hasStorage, store, stored } from '../../src/page/preferences.ts';

afterEach(() => void vi.unstubAllGlobals());

it('keeps a value as long as the page where the browser stores nothing', () => {
  const refuse = (): never => {
    throw new DOMException('storage is switched off', 'SecurityError');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  store('key', 'secret');
  expect([hasStorage(), stored('key')]).toEqual([false, 'secret']);
  store('key', undefined);
  expect(stored('key')).toBeUndefined();
});

it('keeps a value in the storage of the browser', () => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  });
  store('key', 'secret');
  expect([hasStorage(), stored('key'), [...items]]).toEqual([true, 'secret', [['pincer.key', 'secret']]]);
});
