/** Variables that a command inherits, that a call may set without approval, and that no call may set. */

const list = (text: string): readonly string[] => text.trim().split(/\s+/);

const INHERITED = new Set(
  list(`
    HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE COLUMNS LINES CI TMPDIR TMP TEMP
    XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME SSH_AUTH_SOCK DISPLAY WAYLAND_DISPLAY XAUTHORITY
    HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS
    REQUESTS_CA_BUNDLE CURL_CA_BUNDLE SYSTEMROOT WINDIR
  `),
);

export function isInherited(name: string): boolean {
  return INHERITED.has(name) || /^LC_[A-Z]+$/.test(name);
}

/** A command in a sandbox inherits nothing that reveals paths or people. */
export function isInheritedInside(name: string): boolean {
  return /^(?:TERM|LANG|LC_[A-Z]+|COLORTERM|NO_COLOR|FORCE_COLOR|LANGUAGE|TZ|CLICOLOR|CLICOLOR_FORCE|CI)$/.test(name);
}

/** Harmless values contain no path and no code. */
const WORD = /^[\w.,:@+=*-]*$/;
const PLAIN_VALUE = /^[\w .,:@+=*-]*$/;
const NUMBER = /^\d{0,5}$/;
const LOCALE = /^[\w.@:-]*$/;
const TIME_ZONE = /^(?!.*\.\.)(?:[A-Za-z<][\w+,<>./-]*)?$/;

/** The closed list of variables that a call may set for a judged command, with the form of their values. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ...list('LANG LANGUAGE').map((name) => [name, LOCALE] as const),
  ['TZ', TIME_ZONE],
  ['TERM', /^(?:dumb|xterm|xterm-256color)$/],
  ...list('COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE').map((name) => [name, WORD] as const),
  ...list('COLUMNS LINES PORT').map((name) => [name, NUMBER] as const),
  ...list('CI DEBIAN_FRONTEND GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS').map((name) => [name, WORD] as const),
  ...list('DEBUG VERBOSE LOG_LEVEL RUST_LOG RUST_BACKTRACE NODE_NO_WARNINGS').map((name) => [name, WORD] as const),
  ...list('PYTHONUNBUFFERED PYTHONFAULTHANDLER PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONDONTWRITEBYTECODE').map(
    (name) => [name, WORD] as const,
  ),
  ...list('NODE_ENV HOST GOOS GOARCH').map((name) => [name, /^[\w.-]*$/] as const),
]);

/** Whether a call may set this variable for a judged command without approval. */
export function isHarmless(name: string, value: string): boolean {
  const like = HARMLESS.get(name) ?? (/^LC_[A-Z]+$/.test(name) ? LOCALE : undefined);
  return like?.test(value) === true;
}

/** Whether a command may already have this variable, so that setting it in a shell would change what programs see. */
export function isProgramVariable(name: string): boolean {
  return (
    isInherited(name) ||
    HARMLESS.has(name) ||
    Object.hasOwn(WITHOUT_PAGERS, name) ||
    /^(?:LC_|GIT_)/.test(name) ||
    whyRefused(name) !== undefined
  );
}

/** Names that the profile of a program, or the operator, adds to the closed list. */
export interface AddedNames {
  readonly ofProfile?: readonly string[] | undefined;
  readonly ofOperator?: readonly string[] | undefined;
}

/** Whether a call may set it without approval. A value for a name of a profile contains no path and no code. */
export function isAccepted(name: string, value: string, { ofProfile = [], ofOperator = [] }: AddedNames): boolean {
  if (isHarmless(name, value) || (ofProfile.includes(name) && PLAIN_VALUE.test(value))) return true;
  return ofOperator.includes(name) && whyRefused(name) === undefined;
}

/** Why no call may set this variable on this machine. Names are compared without case, because zsh also reads `path`. */
export function whyRefused(name: string): string | undefined {
  const upper = name.toUpperCase();
  if (upper === 'PATH') return 'it decides which program a name runs; the operator can set tools.exec.pathPrepend';
  if (/^(?:LD|DYLD)_/.test(upper)) return 'it makes the system load other code into every program';
  return whyRefusedInside(name);
}

export function whyRefusedInside(name: string): string | undefined {
  return name.toUpperCase().startsWith('PINCER_') ? 'names that begin with PINCER_ are reserved for pincer' : undefined;
}

/** Judged commands open no pager and no editor: keys typed into them, or a project's settings, could start programs. */
export const WITHOUT_PAGERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    list('PAGER GIT_PAGER MANPAGER GH_PAGER DELTA_PAGER DPKG_PAGER').map((name) => [name, 'cat'] as const),
  ),
  ...Object.fromEntries(list('SYSTEMD_PAGER AWS_PAGER BAT_PAGER PSQL_PAGER').map((name) => [name, ''] as const)),
  LESSSECURE: '1',
  SYSTEMD_PAGERSECURE: '1',
  ...Object.fromEntries(
    list('EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS').map(
      (name) => [name, 'false'] as const,
    ),
  ),
};
