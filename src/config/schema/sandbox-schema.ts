/** What a `pincer.jsonc` may say about sandboxes, for all agents or for one. */
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

/** Names that a shell knows; our own would tell a command that it is another. */
const VARIABLE = /^(?!PINCER_)[A-Za-z_][A-Za-z0-9_]*$/u;
const USER = /^[\w.-]+(?::[\w.-]+)?$/u;

/** A number of bytes, or a string such as `512m`; it is kept as it was written. */
const SIZE_EXAMPLE = 'a size such as "512m" or "2g"';
const size = refine(
  anyOf(SIZE_EXAMPLE, integer({ min: 1 }), string({ pattern: SIZE })),
  SIZE_EXAMPLE,
  (value) => bytesOf(value) !== undefined,
);

const absolute = refine(string(), 'an absolute path', (path) => path.startsWith('/') && !path.includes('\0'));
const absoluteOrHome = refine(
  string(),
  'an absolute path, or one from ~/ on',
  (path) => /^(?:\/|~\/|~$)/u.test(path) && !path.includes('\0'),
);
const anyNetworkName = refine(
  string(),
  'a name such as api.example.com, *.example.org or api.example.com:8443',
  (name) => parseAllow(name) !== undefined,
);
const networkName = refine(
  anyNetworkName,
  'public, because a sandbox reaches nothing else (start the server inside of the sandbox, or run the command with tools.exec.host gateway)',
  (name) => {
    const pattern = parseAllow(name);
    return pattern !== undefined && !isNeverPublic(pattern);
  },
);
const variables = refine(
  record(string()),
  'an object of names and strings; a name has letters, digits and _, and begins neither with a digit nor with PINCER_',
  (env) => Object.entries(env).every(([name, value]) => VARIABLE.test(name) && !value.includes('\0')),
);

const limits = partial({
  memory: describe(size, 'how much memory all of it together may use', {
    defaultNote: 'half of the memory of this machine, at least 2g, where that can be enforced',
  }),
  pids: describe(
    integer({ min: 64, max: 4_194_304 }),
    'how many processes and threads there may be at once; the agent inside has about thirty, and some are kept for it',
    { default: SANDBOX_DEFAULTS.pids },
  ),
  cpus: describe(number({ min: 0.01, max: 4_096 }), 'how many processors it may use; 0.5 is half of one', {
    defaultNote: 'no limit',
  }),
  fileSize: describe(size, 'how large a file may be that is written', { default: SANDBOX_DEFAULTS.fileSize }),
  tmpSize: describe(size, 'how large its /tmp is', { default: SANDBOX_DEFAULTS.tmpSize }),
});

const bind = partial({
  source: describe(absoluteOrHome, 'a folder or file of this machine, by its absolute path; ~ is the home'),
  target: describe(absolute, 'where it is seen inside', { defaultNote: 'at the path of its source' }),
  access: describe(oneOf(['ro', 'rw']), 'whether it may be written', { default: 'ro' }),
});

const docker = partial({
  image: describe(string(), 'the image of the containers; it is never fetched by itself', {
    defaultNote: 'debian:bookworm-slim',
  }),
  socket: describe(absoluteOrHome, 'the socket of the engine', { defaultNote: 'the usual places are looked at' }),
  runtime: describe(string(), 'another runtime of the engine, such as runsc'),
  setupCommand: describe(string(), 'a command that runs once in every new container'),
  user: describe(
    refine(string(), 'a user, as uid or uid:gid', (user) => USER.test(user)),
    'the user inside, as uid or uid:gid',
    { defaultNote: 'the owner of the workspace' },
  ),
});

/** What holds for sandboxes. */
export const sandbox = partial({
  mode: describe(
    oneOf(['off', 'non-main', 'all']),
    'whose commands and file tools run in a sandbox; non-main is all but the agent main in its own conversation',
    { default: SANDBOX_DEFAULTS.mode },
  ),
  backend: describe(oneOf(['bubblewrap', 'docker', 'podman']), 'what makes the sandboxes', {
    default: SANDBOX_DEFAULTS.backend,
  }),
  scope: describe(oneOf(['session', 'agent', 'shared']), 'who shares one: a conversation, an agent, all', {
    default: SANDBOX_DEFAULTS.scope,
  }),
  workspaceAccess: describe(
    oneOf(['none', 'ro', 'rw']),
    'what may be done with the workspace; none gives an empty one',
    {
      default: SANDBOX_DEFAULTS.workspaceAccess,
    },
  ),
  rw: partial({
    onObeyed: describe(
      oneOf(['alert', 'quarantine']),
      'what happens to a file that programs on this machine obey, when a command in a writable workspace made or changed it: alert reports it; quarantine also takes a new file away and restores a changed one',
      { default: SANDBOX_DEFAULTS.onObeyed },
    ),
  }),
  limits,
  network: partial({
    allow: describe(array(networkName), 'the names that may be reached, such as api.example.com or *.example.org:443', {
      default: [],
    }),
  }),
  binds: describe(
    array(refine(bind, 'an object with a source', ({ source }) => source !== undefined)),
    'what else of this machine is seen inside',
    { default: [] },
  ),
  env: describe(variables, 'variables of every command inside', { default: {} }),
  docker,
  prune: partial({
    idleHours: describe(number({ min: 0.001, max: 8_760 }), 'after how many hours without use a sandbox is ended', {
      default: SANDBOX_DEFAULTS.idleHours,
    }),
  }),
});

export type SandboxConfig = Infer<typeof sandbox>;
