// @ts-check
/** Calls that must not pass: each program is allowed by an entry that names only its path, and nothing is executed. */
import { machine } from './scratch.mjs';

/** Variables by which programs find code, settings or other programs. */
const VARIABLES = (
  'PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH LOCPATH NLSPATH BASH_ENV ENV ZDOTDIR SHELLOPTS BASHOPTS PS4 IFS ' +
  'PROMPT_COMMAND PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONUSERBASE PYTHONWARNINGS PYTHONBREAKPOINT PYTEST_ADDOPTS PYTEST_PLUGINS PIP_CONFIG_FILE ' +
  'PIP_INDEX_URL NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NPM_CONFIG_USERCONFIG npm_config_script_shell NPM_CONFIG_PREFIX YARN_RC_FILENAME ' +
  'ESBUILD_BINARY_PATH COREPACK_HOME RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE PERL5OPT PERL5LIB PERL5DB PERLLIB PHPRC PHP_INI_SCAN_DIR ' +
  'LUA_PATH LUA_CPATH LUA_INIT JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS GOFLAGS GOPROXY GOTOOLCHAIN ' +
  'GOCACHEPROG GOENV CC CXX CFLAGS LDFLAGS RUSTC RUSTC_WRAPPER RUSTFLAGS RUSTUP_TOOLCHAIN CARGO_HOME CARGO_BUILD_RUSTC MAKEFLAGS MAKEFILES ' +
  'AUTOM4TE M4PATH PKG_CONFIG PKG_CONFIG_PATH GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 ' +
  'GIT_CONFIG_GLOBAL GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_DIR GIT_PROXY_COMMAND GIT_ASKPASS GIT_EDITOR GIT_PAGER PAGER MANPAGER LESSOPEN LESSCLOSE ' +
  'LESSEDIT LESSKEYIN EDITOR VISUAL BROWSER DPKG_PAGER APT_CONFIG DPKG_ROOT GH_CONFIG_DIR GH_PAGER CLOUDSDK_PYTHON AWS_CONFIG_FILE KUBECONFIG ' +
  'DOCKER_CONFIG DOCKER_HOST SSH_AUTH_SOCK SSH_ASKPASS RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH HGRCPATH TAR_OPTIONS GZIP XZ_OPT ZSTD_CLEVEL ' +
  'POSIXLY_CORRECT TERMINFO TERMCAP TERM_PROGRAM XDG_CONFIG_HOME XDG_DATA_DIRS HOME TMPDIR OPENSSL_CONF OPENSSL_MODULES SSL_CERT_FILE KRB5_CONFIG ' +
  'GIO_EXTRA_MODULES GDK_PIXBUF_MODULE_FILE GTK_MODULES QT_PLUGIN_PATH MAGICK_CONFIGURE_PATH RESTIC_PASSWORD_COMMAND BORG_RSH PYENV_HOOK_PATH ' +
  'RIPGREP_CONFIG_PATH ACKRC FZF_DEFAULT_COMMAND BAT_PAGER BAT_CONFIG_PATH DELTA_PAGER SYSTEMD_PAGER SYSTEMD_EDITOR PSQL_PAGER PGSERVICEFILE ' +
  'MYSQL_HOME SQLITE_HISTORY R_PROFILE JULIA_LOAD_PATH ERL_FLAGS ELIXIR_ERL_OPTIONS VIMINIT EXINIT MYVIMRC EMACSLOADPATH GNUPGHOME TCLLIBPATH'
).split(' ');

/**
 * @typedef {import('./scratch.mjs').Scratch} Scratch
 * @typedef {typeof import('./parts.ts')} Parts
 * @typedef {{ tried: number, passed: readonly string[] }} Result
 */

/** @param {string} program @param {'screen' | 'shapes'} unprofiled */
function rules(program, unprofiled) {
  return /** @type {const} */ ({
    allowlist: [{ pattern: `/usr/bin/${program}` }],
    deny: [],
    safeBins: [],
    safeBinProfiles: {},
    safeBinTrustedDirs: [],
    strictInlineEval: true,
    unprofiled,
    compound: 'steps',
    starter: 'workspace',
  });
}

/** @param {Parts} parts @param {Scratch} scratch @returns {Result} */
export function bypassesBySnippets(parts, scratch) {
  const calls = parts.SNIPPETS.map((row) => ({
    program: row.slice(0, row.indexOf(': ')),
    command: row.slice(row.indexOf(': ') + 2),
  }));
  return both(parts, scratch, calls);
}

/** @param {Parts} parts @param {Scratch} scratch @returns {Result} */
export function bypassesByOptions(parts, scratch) {
  return both(parts, scratch, parts.dangerousOptions());
}

/** With the screen and with shapes. @param {Parts} parts @param {Scratch} scratch @param {readonly { program: string, command: string }[]} calls @returns {Result} */
function both(parts, scratch, calls) {
  const passed = calls.flatMap(({ program, command }) =>
    /** @type {const} */ (['screen', 'shapes']).flatMap((unprofiled) => {
      const lookup = machine(parts, scratch, new Set([program]));
      const call = { command, unlisted: [], pty: false };
      const { verdict } = parts.judgeCall(call, rules(program, unprofiled), lookup, scratch.project);
      return verdict === 'allow' ? [`${command} (${unprofiled})`] : [];
    }),
  );
  return { tried: 2 * calls.length, passed };
}

/** @param {Parts} parts @returns {Result} */
export function bypassesByVariables({ environmentOf }) {
  const passed = VARIABLES.filter((name) => {
    const { refused, unlisted } = environmentOf({ inherited: {}, overrides: { [name]: 'x' } });
    return refused.length === 0 && unlisted.length === 0;
  });
  return { tried: VARIABLES.length, passed };
}
