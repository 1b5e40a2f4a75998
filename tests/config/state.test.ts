import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { stateFolder } from '../../src/config/state.ts';

it.each([
  [{ PINCER_STATE_DIR: '/own', XDG_STATE_HOME: '/xdg', HOME: '/home/me' }, '/own'],
  [{ PINCER_STATE_DIR: 'here', HOME: '/home/me' }, resolve('here')],
  [{ PINCER_STATE_DIR: '', XDG_STATE_HOME: '/xdg', HOME: '/home/me' }, '/xdg/pincer'],
  [{ XDG_STATE_HOME: 'relative', HOME: '/home/me' }, '/home/me/.local/state/pincer'],
  [{ HOME: '/home/me' }, '/home/me/.local/state/pincer'],
  [{}, `${homedir()}/.local/state/pincer`],
])('with %j the state folder is %s', (env, folder) => {
  expect(stateFolder(env)).toBe(folder);
});

it('returns a state folder for a user without a home', () => {
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  try {
    expect(stateFolder({})).toBe('/.local/state/pincer');
  } finally {
    builtin.mockRestore();
  }
});
