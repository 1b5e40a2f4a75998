/** The schema of `sandbox` in `pincer.jsonc`, for all agents or for one. */
import { isNeverPublic, parseAllow } from '../../hosts/sandbox/egress/patterns.ts';
import { SANDBOX_DEFAULTS } from './defaults.ts';
import {
  anyOf,
  array,
  describe,
  type Infer,
  integer,
  number,
  oneOf,
  partial,
  record,
  refine,
  string,
} from '../../wire/schema.ts';
import { bytesOf, SIZE } from './sizes.ts';

/** Names valid in a shell. `PINCER_*` is reserved: it tells a command who runs it. */
const VARIABLE = /^(?!PINCER_)[A-Za-z_][A-Za-z0-9_]*$/u;
const USER = /^[\w.-]+(?::[\w.-]+)?$/u;

const SIZE_EXAMPLE = 'a size such as "512m" or "2g"';
const size = refine(
  anyOf(SIZE_EXAMPLE, integer({ min: 1 }), string({ pattern: SIZE })),
  SIZE_EXAMPLE,
  (value) => bytesOf(value) !== undefined,
);

const absolute = refine(string(), 'an absolute path', (path) => path.startsWith('/') && !path.includes('\0'));
const absoluteOrHome = refine(
  string(),
  'an absolute path or a path that begins with ~/',
  (path) => /^(?:\/|~\/|~$)/u.test(path) && !path.includes('\0'),
);
const anyNetworkName = refine(
  string(),
  'a name such as api.example.com, *.example.org or api.example.com:8443',
  (name) => parseAllow(name) !== undefined,
);
const networkName = refine(
  anyNetworkName,
  'public, because a sandbox has no access to private addresses (start the server inside the sandbox, or run the command with tools.exec.host gateway)',
  (name) => {
    const pattern = parseAllow(name);
    return pattern !== undefined && !isNeverPublic(pattern);
  },
);
const variables = refine(
  record(string()),
  'an object of strings; names consist of letters, digits and _, and do not begin with a digit or PINCER_',
  (env) => Object.entries(env).every(([name, value]) => VARIABLE.test(name) && !value.includes('\0')),
);

const limits = partial({
  memory: describe(size, 'memory limit of the whole sandbox', {
    defaultNote: 'half of the memory of this machine, at least 2g, where the machine can enforce it',
  }),
  pids: describe(
    integer({ min: 64, max: 4_194_304 }),
    'limit of processes and threads; the runner needs about thirty, and some are reserved for it',
    { default: SANDBOX_DEFAULTS.pids },
  ),
  cpus: describe(number({ min: 0.01, max: 4_096 }), 'limit of processors; 0.5 is half of one', {
    defaultNote: 'no limit',
  }),
  fileSize: describe(size, 'maximum size of a file that a command writes', { default: SANDBOX_DEFAULTS.fileSize }),
  tmpSize: describe(size, 'size of /tmp', { default: SANDBOX_DEFAULTS.tmpSize }),
});

const bind = partial({
  source: describe(absoluteOrHome, 'absolute path of a folder or file of this machine; ~ is the home folder'),
  target: describe(absolute, 'path inside the sandbox', { defaultNote: 'same as source' }),
  access: describe(oneOf(['ro', 'rw']), 'read-only or writable', { default: 'ro' }),
});

const docker = partial({
  image: describe(string(), 'image of the containers; pincer never pulls it', { defaultNote: 'debian:bookworm-slim' }),
  socket: describe(absoluteOrHome, 'socket of the engine', { defaultNote: 'the standard paths' }),
  runtime: describe(string(), 'container runtime, such as runsc'),
  setupCommand: describe(string(), 'command that runs once in each new container'),
  user: describe(
    refine(string(), 'a user, as uid or uid:gid', (user) => USER.test(user)),
    'user inside the container, as uid or uid:gid',
    { defaultNote: 'owner of the workspace' },
  ),
});

export const sandbox = partial({
  mode: describe(
    oneOf(['off', 'non-main', 'all']),
    'which commands and file tools run in a sandbox; non-main means all except the agent main in its own conversation',
    { default: SANDBOX_DEFAULTS.mode },
  ),
  backend: describe(oneOf(['bubblewrap', 'docker', 'podman']), 'sandbox technology', {
    default: SANDBOX_DEFAULTS.backend,
  }),
  scope: describe(oneOf(['session', 'agent', 'shared']), 'one sandbox per conversation, per agent, or for all', {
    default: SANDBOX_DEFAULTS.scope,
  }),
  workspaceAccess: describe(oneOf(['none', 'ro', 'rw']), 'access to the workspace; none means an empty workspace', {
    default: SANDBOX_DEFAULTS.workspaceAccess,
  }),
  rw: partial({
    onObeyed: describe(
      oneOf(['alert', 'quarantine']),
      'what to do with an obeyed file that a command in a writable workspace created or changed: alert reports it; quarantine also removes a new file and restores a changed one',
      { default: SANDBOX_DEFAULTS.onObeyed },
    ),
  }),
  limits,
  network: partial({
    allow: describe(
      array(networkName),
      'host names that commands may connect to, such as api.example.com or *.example.org:443',
      { default: [] },
    ),
  }),
  binds: describe(
    array(refine(bind, 'an object with a source', ({ source }) => source !== undefined)),
    'folders and files of this machine to mount in the sandbox',
    { default: [] },
  ),
  env: describe(variables, 'environment variables of every command in the sandbox', { default: {} }),
  docker,
  prune: partial({
    idleHours: describe(number({ min: 0.001, max: 8_760 }), 'hours without use after which pincer ends a sandbox', {
      default: SANDBOX_DEFAULTS.idleHours,
    }),
  }),
});

export type SandboxConfig = Infer<typeof sandbox>;
