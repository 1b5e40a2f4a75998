/** Names of variables: which ones a command inherits, and which ones nobody may set for it. */

const INHERITED = new Set(
  (
    'HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES CI TMPDIR TMP TEMP ' +
    'XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY XAUTHORITY ' +
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS ' +
    'REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SYSTEMROOT WINDIR'
  ).split(' '),
);

/** Whether a command inherits a variable of this name. */
export function isInherited(name: string): boolean {
  return INHERITED.has(name) || /^LC_[A-Z]+$/.test(name);
}

/** Names that change only how text looks. */
export function isAboutDisplay(name: string): boolean {
  return /^(?:TERM|LANG|LC_[A-Z]+|COLORTERM|NO_COLOR|FORCE_COLOR)$/.test(name);
}

/** Whether a command in a sandbox inherits a variable of this name: nothing that says where things are, or who somebody is. */
export function isInheritedInside(name: string): boolean {
  return isAboutDisplay(name) || /^(?:LANGUAGE|TZ|CLICOLOR|CLICOLOR_FORCE|CI)$/.test(name);
}

/** Why nobody may set a variable of this name for a command in a sandbox. */
export function whyRefusedInside(name: string): string | undefined {
  return name.toUpperCase().startsWith('PINCER_') ? 'the names of Pincer itself are not for others' : undefined;
}

interface Group {
  readonly why: string;
  readonly names: string;
  readonly prefixes?: string;
}

const GROUPS: readonly Group[] = [
  { why: 'it decides which programs a name means; the operator sets pathPrepend', names: 'PATH PATHEXT COMSPEC' },
  {
    why: 'it makes the system load other code into every program',
    names:
      'GCONV_PATH GLIBC_TUNABLES HOSTALIASES LOCPATH NLSPATH MALLOC_CHECK_ RES_OPTIONS LOCALDOMAIN TZDIR RESOLV_HOST_CONF',
    prefixes: 'LD_ DYLD_ _RLD LIBPATH',
  },
  {
    why: 'a shell runs or obeys it before the command',
    names:
      'BASH_ENV ENV KSH_ENV BASHOPTS SHELLOPTS PS0 PS1 PS2 PS3 PS4 IFS FPATH SHELL CONFIG_SHELL CONFIG_SITE PROMPT_COMMAND HISTFILE ZDOTDIR ' +
      'CDPATH BASH_ALIASES BASH_CMDS BASH_XTRACEFD BASH_LOADABLES_PATH EXECIGNORE GLOBIGNORE INPUTRC MAIL MAILPATH ZSH_ENV MODULE_PATH FCEDIT',
    prefixes: 'BASH_FUNC_',
  },
  {
    why: 'it makes a language runtime load or run other code',
    names:
      'NODE_OPTIONS NODE_PATH NODE_REDIRECT_WARNINGS NODE_REPL_EXTERNAL_MODULE NODE_REPL_HISTORY NODE_V8_COVERAGE NODE_PENDING_PIPE_INSTANCES ' +
      'NODE_ICU_DATA NODE_COMPILE_CACHE PYTHONHOME PYTHONPATH PYTHONBREAKPOINT PYTHONSTARTUP PYTHONUSERBASE PYTHONINSPECT PYTHONWARNINGS ' +
      'PYTHONEXECUTABLE PYTHONPLATLIBDIR PYTHONPYCACHEPREFIX PYTHONCASEOK PERLLIB PERL_UNICODE PERL_HASH_SEED_DEBUG RUBYLIB RUBYOPT RUBYSHELL RUBYPATH ' +
      'JAVA_OPTS JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_HOME CLASSPATH DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS ' +
      'DOTNET_SHARED_STORE CORECLR_PROFILER CORECLR_PROFILER_PATH CORECLR_ENABLE_PROFILING COR_PROFILER ELIXIR_ERL_OPTIONS TCLLIBPATH ' +
      'EMACSLOADPATH PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_CPATH GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH BUNDLE_BIN_PATH VIRTUAL_ENV ' +
      'DENO_DIR COMPOSER_HOME JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_EDITOR AWKPATH AWKLIBPATH GUILE_LOAD_PATH GUILE_LOAD_COMPILED_PATH ' +
      'OCAMLRUNPARAM CAML_LD_LIBRARY_PATH R_HOME R_LIBS R_LIBS_USER MONO_PATH TS_NODE_PROJECT TSX_TSCONFIG_PATH GTK_MODULES QT_PLUGIN_PATH',
    prefixes:
      'PERL5 LUA_INIT LUA_PATH_ LUA_CPATH_ ERL_ R_ENVIRON R_PROFILE CONDA_ CORECLR_ COMPLUS_ GTK_PATH GST_PLUGIN',
  },
  {
    why: 'it names a program or a file of commands that an editor, a pager or another tool runs',
    names:
      'GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND PAGER MANPAGER EDITOR VISUAL SUDO_EDITOR SUDO_ASKPASS SSH_ASKPASS SSH_ASKPASS_REQUIRE LESSOPEN LESSCLOSE LESS LESSKEY LESSKEYIN LESSKEY_SYSTEM MORE MOST ' +
      'BROWSER VIMINIT EXINIT GVIMINIT MYVIMRC VIM VIMRUNTIME HGRCPATH HGEDITOR HGMERGE HGPLAIN BAT_PAGER DELTA_PAGER GH_PAGER GH_EDITOR ' +
      'SYSTEMD_PAGER SYSTEMD_EDITOR PSQL_PAGER PSQL_EDITOR MANOPT MANROFFOPT GROFF_COMMAND_PREFIX RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH CVS_SERVER ' +
      'TAR_OPTIONS RSH RIPGREP_CONFIG_PATH ACKRC ACK_PAGER GREP_OPTIONS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS GZIP ZIPOPT XZ_OPT XZ_DEFAULTS TMUX ' +
      'POSIXLY_CORRECT_EDITOR CRON_EDITOR KUBE_EDITOR FCEDIT NEXRC NANORC DEBUGGER TERMCAP TERMINFO TERMINFO_DIRS',
  },
  {
    why: 'it decides which repository and settings version control uses, and settings can name programs',
    names: '',
    prefixes: 'GIT_ SVN_ BZR_ HG_',
  },
  {
    why: 'it names a compiler, a linker or a build tool, or what they load',
    names:
      'CC CXX CPP CXXCPP LD AR AS NM RANLIB MAKE MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES RUSTDOC RUSTFLAGS MAVEN_OPTS MAVEN_ARGS SBT_OPTS GRADLE_OPTS ' +
      'ANT_OPTS ANT_ARGS CATALINA_OPTS HELM_PLUGINS PACKER_PLUGIN_PATH VAGRANT_VAGRANTFILE CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH LIBRARY_PATH ' +
      'COMPILER_PATH GCC_EXEC_PREFIX GCC_SPECS C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH GOFLAGS GOENV GOPATH GOROOT GOPROXY GOPRIVATE GOBIN ' +
      'GOTOOLCHAIN CARGO_HOME GRADLE_USER_HOME PKG_CONFIG PKG_CONFIG_PATH ACLOCAL_PATH M4PATH',
    prefixes: 'CMAKE_ RUSTC RUSTUP_ CARGO_ CCACHE_ DISTCC_',
  },
  {
    why: 'it changes whom programs trust or where they fetch from',
    names:
      'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE WGETRC KUBECONFIG ' +
      'GOOGLE_APPLICATION_CREDENTIALS BUN_CONFIG_REGISTRY YARN_RC_FILENAME SSLKEYLOGFILE PYTHONHTTPSVERIFY GNUPGHOME NETRC BOTO_CONFIG',
    prefixes: 'SSL_CERT_ CURL_ OPENSSL_ DOCKER_ PIP_ UV_ ANSIBLE_ TF_ AWS_ AZURE_ NPM_CONFIG_ YARN_ PNPM_ POETRY_',
  },
  {
    why: 'it is a credential, which the operator provides and a call does not',
    names:
      'GH_TOKEN GITHUB_TOKEN GITLAB_TOKEN NPM_TOKEN NODE_AUTH_TOKEN DATABASE_URL REDIS_URL MONGODB_URI AMQP_URL SSH_AUTH_SOCK',
  },
  {
    why: 'programs find their settings, and code that they run, by it',
    names: 'HOME SYSTEMROOT WINDIR USERPROFILE APPDATA LOCALAPPDATA DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS',
    prefixes: 'XDG_ PINCER_',
  },
];

const whyByName = new Map(GROUPS.flatMap(({ why, names }) => names.split(' ').map((name) => [name, why] as const)));
const prefixes = GROUPS.flatMap(({ why, prefixes }) =>
  (prefixes ?? '')
    .split(' ')
    .filter((prefix) => prefix !== '')
    .map((prefix) => [prefix, why] as const),
);

/** Why nobody may set a variable of this name; undefined where it may be set. Case does not matter: zsh knows `path`, too. */
export function whyRefused(name: string): string | undefined {
  const upper = name.toUpperCase();
  return whyByName.get(upper) ?? prefixes.find(([prefix]) => upper.startsWith(prefix))?.[1];
}
