import { describe, expect, it } from 'vitest';
import { environmentOf, withVariables } from '../../src/policy/environment.ts';
import { isAccepted } from '../../src/policy/environment-names.ts';
import { ask } from './machine.ts';

const refusedNames = (overrides: Record<string, string>) =>
  environmentOf({ inherited: {}, overrides }).refused.map(({ name }) => name);
const unlisted = (overrides: Record<string, string>) => environmentOf({ inherited: {}, overrides }).unlisted;
const words = (text: string): readonly string[] => text.trim().split(/\s+/);

describe('the environment of a command', () => {
  it('inherits names on a list, and adds what the call sets', () => {
    const inherited = {
      HOME: '/home/u',
      LC_ALL: 'C',
      PATH: '/evil',
      LD_PRELOAD: 'x',
      GITHUB_TOKEN: 't',
      NODE_OPTIONS: 'x',
      MY_SECRET: 's',
      TERM: '() { id; }',
      LANG: undefined,
    };
    expect(environmentOf({ inherited, overrides: { FOO: 'bar', DEBUG: '1', PORT: '' } })).toEqual({
      env: { HOME: '/home/u', LC_ALL: 'C', FOO: 'bar', DEBUG: '1', PORT: '' },
      refused: [],
      unlisted: ['FOO'],
    });
  });

  it.each([
    ['PATH', 'it decides which program a name runs; the operator can set tools.exec.pathPrepend'],
    ['path', 'it decides which program a name runs; the operator can set tools.exec.pathPrepend'],
    ['LD_PRELOAD', 'it makes the system load other code into every program'],
    ['LD_AUDIT', 'it makes the system load other code into every program'],
    ['ld_preload', 'it makes the system load other code into every program'],
    ['DYLD_INSERT_LIBRARIES', 'it makes the system load other code into every program'],
    ['PINCER_STATE_DIR', 'names that begin with PINCER_ are reserved for pincer'],
  ])('refuses %s', (name, why) => {
    expect(environmentOf({ inherited: {}, overrides: { [name]: 'x' } })).toEqual({
      env: {},
      refused: [{ name, why }],
      unlisted: [],
    });
  });

  it.each(
    words(`
      BASH_ENV ENV SHELLOPTS BASHOPTS PS4 IFS PROMPT_COMMAND BASH_FUNC_ls NODE_OPTIONS NODE_PATH PYTHONPATH PYTHONHOME PYTHONSTARTUP PERL5OPT PERL5LIB RUBYOPT
      JAVA_TOOL_OPTIONS LUA_INIT ERL_AFLAGS GIT_SSH_COMMAND GIT_EDITOR GIT_CONFIG_COUNT GIT_PAGER GIT_DIR PAGER EDITOR LESSOPEN BROWSER CC MAKEFLAGS
      RUSTC_WRAPPER GOFLAGS HTTP_PROXY https_proxy NODE_EXTRA_CA_CERTS SSL_CERT_FILE DOCKER_HOST NPM_CONFIG_REGISTRY KUBECONFIG GH_TOKEN HOME XDG_CONFIG_HOME
      DPKG_PAGER APT_CONFIG GH_CONFIG_DIR CLOUDSDK_PYTHON MAGICK_CONFIGURE_PATH GDK_PIXBUF_MODULE_FILE GIO_EXTRA_MODULES KRB5_CONFIG GOCACHEPROG
      PYENV_HOOK_PATH AUTOM4TE RESTIC_PASSWORD_COMMAND PYTEST_ADDOPTS ESBUILD_BINARY_PATH SYSTEMD_PAGERSECURE VIRTUAL_ENV FOO lang term
    `),
  )('A2: %s is not known to be harmless', (name) => {
    expect(unlisted({ [name]: 'x' })).toEqual([name]);
  });

  it.each([
    ['LANG', 'C.UTF-8', true],
    ['LC_ALL', 'de_DE.UTF-8@euro', true],
    ['LANGUAGE', '../../tmp/x', false],
    ['TZ', 'Europe/Berlin', true],
    ['TZ', '/tmp/zone', false],
    ['TZ', ':/tmp/zone', false],
    ['TZ', 'a/../../x', false],
    ['TERM', 'xterm-256color', true],
    ['TERM', '/tmp/x', false],
    ['NO_COLOR', '1', true],
    ['COLUMNS', '80', true],
    ['COLUMNS', 'a[$(id)]', false],
    ['DEBUG', 'app:*', true],
    ['DEBUG', '$(id)', false],
    ['NODE_ENV', 'test', true],
    ['NODE_ENV', '../x', false],
  ])('%s=%s is harmless: %s', (name, value, harmless) => {
    expect(unlisted({ [name]: value })).toEqual(harmless ? [] : [name]);
  });

  it('A2: makes an allowed command ask, and nothing of it may be kept', () => {
    const allowed = ask('ls -l', ['ls']);
    expect(withVariables(allowed, [], false)).toEqual(allowed);
    expect(withVariables(allowed, ['DPKG_PAGER'], true)).toMatchObject({
      verdict: 'ask',
      code: 'environment',
      explicit: true,
      unknownNames: 'the variable DPKG_PAGER can make programs start others',
    });
    expect(withVariables(ask('id'), ['FOO'], false)).not.toHaveProperty('proposal');
  });

  it('refuses names that are none, and values that cannot be set', () => {
    const overrides = {
      'LD_PRELOAD ': 'x',
      '': 'x',
      '1A': 'x',
      'A=B': 'x',
      'A-B': 'x',
      'a\u200b': 'x',
      OK: 'a\0b',
      F: '() { id; }',
      LONG: 'x'.repeat(200_000),
    };
    expect(refusedNames(overrides)).toEqual([
      '"LD_PRELOAD "',
      '""',
      '1A',
      '"A=B"',
      'A-B',
      '"a\u200b"',
      'OK',
      'F',
      'LONG',
    ]);
  });

  it('of a sandbox inherits only how things look, and may be set to anything but our names', () => {
    const inherited = {
      HOME: '/root',
      PATH: '/evil',
      SSH_AUTH_SOCK: '/s',
      HTTP_PROXY: 'x',
      TERM: 'xterm',
      TZ: 'UTC',
      LC_ALL: 'C',
    };
    const overrides = {
      PATH: '/mine',
      LD_PRELOAD: 'a.so',
      HOME: '/workspace',
      PINCER_OWNER: 'x',
      pincer_x: 'y',
      '1': 'z',
    };
    expect(environmentOf({ inherited, overrides, sandboxed: true })).toEqual({
      env: { TERM: 'xterm', TZ: 'UTC', LC_ALL: 'C', PATH: '/mine', LD_PRELOAD: 'a.so', HOME: '/workspace' },
      refused: [
        { name: '1', why: 'a name is letters, digits and _, and does not begin with a digit' },
        { name: 'PINCER_OWNER', why: 'names that begin with PINCER_ are reserved for pincer' },
        { name: 'pincer_x', why: 'names that begin with PINCER_ are reserved for pincer' },
      ],
      unlisted: ['PATH', 'LD_PRELOAD', 'HOME'],
    });
  });
});

describe('a name that the operator adds', () => {
  it('may be set without approval, unless it is refused', () => {
    const overrides = { MY_PROJECT_MODE: '/any value', OTHER: 'x', LD_PRELOAD: 'x' };
    const { refused, unlisted } = environmentOf({
      inherited: {},
      overrides,
      added: ['MY_PROJECT_MODE', 'LD_PRELOAD', 'PATH'],
    });
    expect({ refused: refused.map(({ name }) => name), unlisted }).toEqual({
      refused: ['LD_PRELOAD'],
      unlisted: ['OTHER'],
    });
  });
});

it.each([
  ['GIT_AUTHOR_DATE', '2026-01-01 10:00:00', true],
  ['GIT_AUTHOR_DATE', '$(id)', false],
  ['GIT_AUTHOR_DATE', '/etc/passwd', false],
  ['GIT_DIR', 'x', false],
])('of a profile with GIT_AUTHOR_DATE, %s=%s is accepted: %s', (name, value, accepted) => {
  expect(isAccepted(name, value, { ofProfile: ['GIT_AUTHOR_DATE'] })).toBe(accepted);
});
