import { describe, expect, it } from 'vitest';
import { environmentOf } from '../../src/policy/environment.ts';

const refusedNames = (overrides: Record<string, string>, shellWrapper = false) =>
  environmentOf({ inherited: {}, overrides, host: 'gateway', shellWrapper }).refused.map(({ name }) => name);

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
    expect(environmentOf({ inherited, overrides: { FOO: 'bar', DEBUG: '1', PORT: '' }, host: 'gateway' })).toEqual({
      env: { HOME: '/home/u', LC_ALL: 'C', FOO: 'bar', DEBUG: '1', PORT: '' },
      refused: [],
    });
  });

  it.each(
    (
      'PATH Path path LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT ld_preload DYLD_INSERT_LIBRARIES BASH_ENV ENV SHELLOPTS BASHOPTS PS4 IFS PROMPT_COMMAND BASH_FUNC_ls NODE_OPTIONS NODE_PATH PYTHONPATH ' +
      'PYTHONHOME PYTHONSTARTUP PYTHONBREAKPOINT PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS LUA_INIT LUA_INIT_5_4 DOTNET_STARTUP_HOOKS ERL_AFLAGS R_PROFILE_USER ' +
      'GIT_SSH_COMMAND GIT_EDITOR GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_PAGER GIT_DIR GIT_EXEC_PATH PAGER EDITOR VISUAL LESSOPEN MANPAGER BROWSER SSH_ASKPASS SUDO_ASKPASS VIMINIT HGRCPATH ' +
      'SVN_EDITOR CC CXX MAKEFLAGS CFLAGS LDFLAGS RUSTC_WRAPPER CARGO_BUILD_RUSTC CMAKE_PREFIX_PATH GOFLAGS MAVEN_OPTS HTTP_PROXY https_proxy NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS SSL_CERT_FILE ' +
      'CURL_HOME WGETRC DOCKER_HOST PIP_INDEX_URL NPM_CONFIG_REGISTRY npm_config_registry KUBECONFIG AWS_PROFILE TF_VAR_x GH_TOKEN GITHUB_TOKEN DATABASE_URL HOME ZDOTDIR XDG_CONFIG_HOME SSH_AUTH_SOCK ' +
      'GCONV_PATH GLIBC_TUNABLES HOSTALIASES SSLKEYLOGFILE TAR_OPTIONS RIPGREP_CONFIG_PATH RSYNC_RSH AWKPATH GTK_MODULES PINCER_STATE_DIR SHELL CLASSPATH VIRTUAL_ENV'
    ).split(' '),
  )('refuses %s, with a reason', (name) => {
    expect(environmentOf({ inherited: {}, overrides: { [name]: 'x' }, host: 'gateway' })).toEqual({
      env: {},
      refused: [{ name, why: expect.stringMatching(/^[a-z].{10,}[^.]$/) }],
    });
  });

  it.each([
    ['GIT_DIR', 'it decides which repository and settings version control uses, and settings can name programs'],
    ['GIT_PAGER', 'it names a program or a file of commands that an editor, a pager or another tool runs'],
    ['LD_PRELOAD', 'it makes the system load other code into every program'],
  ])('says of %s what it would do', (name, why) => {
    expect(environmentOf({ inherited: {}, overrides: { [name]: 'x' }, host: 'gateway' }).refused).toEqual([
      { name, why },
    ]);
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

  it('lets a shell with code be told only how to show things', () => {
    expect(refusedNames({ TERM: 'x', LANG: 'C', LC_ALL: 'C', NO_COLOR: '1', FOO: 'bar' }, true)).toEqual(['FOO']);
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
    expect(environmentOf({ inherited, overrides, host: 'sandbox', sandboxed: true })).toEqual({
      env: { TERM: 'xterm', TZ: 'UTC', LC_ALL: 'C', PATH: '/mine', LD_PRELOAD: 'a.so', HOME: '/workspace' },
      refused: [
        { name: '1', why: 'a name is letters, digits and _, and does not begin with a digit' },
        { name: 'PINCER_OWNER', why: 'the names of Pincer itself are not for others' },
        { name: 'pincer_x', why: 'the names of Pincer itself are not for others' },
      ],
    });
  });
});
