/** The form of a command in a sandbox: its folder, its environment, and the shell that runs it. */
import { realpathSync } from 'node:fs';
import { isAbsolute, posix, resolve } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { Fault } from '../../base/fault.ts';
import { environmentOf } from '../../policy/environment.ts';
import type { ExecContext, ExecRequest } from '../../wire/exec.ts';
import type { SandboxSettings } from '../../wire/sandbox.ts';
import type { ExecSettings } from '../../wire/settings.ts';
import type { LaunchStage } from '../process/launch.ts';
import { INSIDE } from '../sandbox/backend.ts';
import { PROXY_PORT } from '../sandbox/egress/egress.ts';
import { HOME_INSIDE, PATH_INSIDE } from '../sandbox/profile.ts';
import { environmentRefused } from './environment-refused.ts';

/** Passes the folders for the front of PATH through the login shell, whose profile may reset PATH. */
const PREPEND = 'PINCER_PREPEND_PATH';

/** Passes the PATH of an image through the login shell, whose profile may lack the image's folders; set by the runner. */
const BASE = 'PINCER_BASE_PATH';

/**
 * Runs after the profile of the login shell, on the same line as the command, so that line numbers in shell errors match the
 * caller's text. The home is in /tmp, which is initially empty in some sandboxes.
 */
const AFTER_PROFILE = `[ -d "$HOME" ] || mkdir -p "$HOME" 2>/dev/null; case ":$PATH:" in *":\${${BASE}:-$PATH}:"*) ;; *) PATH="$${BASE}:$PATH" ;; esac; export PATH="\${${PREPEND}:+$${PREPEND}:}$PATH"; unset ${PREPEND} ${BASE}; `;

export function insideStage(command: string): LaunchStage {
  return { file: '/bin/sh', argv: ['sh', '-lc', `${AFTER_PROFILE}${command}`] };
}

/** The real path of a folder that becomes a workspace. */
export function workspaceOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new Fault('EXEC_WORKDIR_MISSING', `folder not found: ${folder}`, {
      hint: 'create the folder first, or choose another one',
      details: { workdir: folder },
      cause: error,
    });
  }
}

/** The working folder inside. It may also be given as a path of this machine, or with `~`. */
export function insideFolder(
  { folder, environment }: Pick<ExecContext, 'folder' | 'environment'>,
  workspace: string,
  workdir: string | undefined,
): string {
  if (workdir === undefined) return INSIDE;
  const whole = fromHome(workdir, environment['HOME']);
  const inside = insidePath(folder, whole) ?? insidePath(workspace, whole) ?? posix.resolve(INSIDE, whole);
  if (isInside(inside, INSIDE)) return inside;
  throw new Fault('SANDBOX_WORKDIR_OUTSIDE', `${workdir} is not in the workspace of the sandbox`, {
    hint: `leave workdir out, or name a folder in ${INSIDE}; a command can use cd`,
    details: { workdir },
  });
}

/** The path inside a workspace path of this machine; undefined outside the workspace. */
export function insidePath(folder: string, path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  const whole = resolve(path);
  if (whole === folder) return INSIDE;
  return isInside(whole, folder) ? posix.join(INSIDE, whole.slice(folder.length)) : undefined;
}

/** Expands `~` to the caller's home. */
export function fromHome(path: string, home: string | undefined): string {
  return home !== undefined && (path === '~' || path.startsWith('~/')) ? resolve(home, `.${path.slice(1)}`) : path;
}

/** The path on this machine of a path inside; other paths are returned unchanged. */
export function outsidePath(folder: string, path: string): string {
  const whole = posix.normalize(path);
  return isInside(whole, INSIDE) ? resolve(folder, `.${whole.slice(INSIDE.length)}`) : path;
}

interface InsideEnvironment {
  readonly request: ExecRequest;
  readonly context: Pick<ExecContext, 'environment' | 'folder'>;
  readonly settings: Pick<ExecSettings, 'pathPrependInside' | 'sandbox'>;
  readonly workspace: string;
}

/** All variables of a command inside: given ones, and from this machine only those about the display of text. */
export function insideEnvironment({
  request,
  context,
  settings,
  workspace,
}: InsideEnvironment): Readonly<Record<string, string>> {
  const { PATH: asked, ...overrides } = request.env ?? {};
  const { env, refused } = environmentOf({
    inherited: context.environment,
    overrides: { ...overrides, ...(asked === undefined ? {} : { PATH: asked }) },
    sandboxed: true,
  });
  if (refused.length > 0) throw environmentRefused(refused);
  const { PATH: path, ...given } = env;
  const { pathPrependInside, sandbox } = settings;
  const { PATH: operators, ...said } = sandbox.env;
  const home = given['HOME'] ?? said['HOME'] ?? HOME_INSIDE;
  const prepended = [
    ...pathPrependInside.map((folder) => {
      if (/^~(?:\/|$)/u.test(folder)) return `${home}${folder.slice(1)}`;
      return insidePath(context.folder, folder) ?? insidePath(workspace, folder) ?? folder;
    }),
    path,
    operators,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(':');
  return {
    LANG: 'C.UTF-8',
    HOME: HOME_INSIDE,
    USER: 'sandbox',
    LOGNAME: 'sandbox',
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    ...proxies(sandbox),
    ...said,
    ...given,
    // An image has its own folders, which the runner knows.
    ...(sandbox.backend === 'bubblewrap' ? { PATH: PATH_INSIDE } : {}),
    PINCER_SHELL: 'exec',
    ...(prepended === '' ? {} : { [PREPEND]: prepended }),
  };
}

/** Variables that direct programs to the proxy, the only way to the network. */
function proxies({ networkAllow }: SandboxSettings): Readonly<Record<string, string>> {
  if (networkAllow.length === 0) return {};
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  const none = 'localhost,127.0.0.1,::1';
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), no_proxy: none, NO_PROXY: none };
}
