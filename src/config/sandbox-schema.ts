/** What a `pincer.jsonc` may say about sandboxes, for all agents or for one. */
import { isNeverPublic, parseAllow } from '../hosts/sandbox/egress/patterns.ts';
import { SANDBOX_DEFAULTS } from './defaults.ts';
import { amount, type Checked, fitting, listOf, objectOf, oneOf, recordOf, say, size, text, whole } from './shape.ts';

/** Names that a shell knows; our own would tell a command that it is another. */
const VARIABLE = /^(?!PINCER_)[A-Za-z_][A-Za-z0-9_]*$/u;
const USER = /^[\w.-]+(?::[\w.-]+)?$/u;

const absolute = fitting(text, 'an absolute path', (path) => path.startsWith('/') && !path.includes('\0'));
const absoluteOrHome = fitting(
  text,
  'an absolute path, or one from ~/ on',
  (path) => /^(?:\/|~\/|~$)/u.test(path) && !path.includes('\0'),
);
const anyNetworkName = fitting(
  text,
  'a name such as api.example.com, *.example.org or api.example.com:8443',
  (name) => parseAllow(name) !== undefined,
);
const networkName = fitting(
  anyNetworkName,
  'public, because a sandbox reaches nothing else (start the server inside of the sandbox, or run the command with tools.exec.host gateway)',
  (name) => {
    const pattern = parseAllow(name);
    return pattern !== undefined && !isNeverPublic(pattern);
  },
);
const variables = fitting(
  recordOf(text),
  'names and their texts, where a name is letters, digits and _, and begins neither with a digit nor with PINCER_',
  (env) => Object.entries(env).every(([name, value]) => VARIABLE.test(name) && !value.includes('\0')),
);

const limits = objectOf({
  memory: say(size, 'how much memory all of it together may use', {
    otherwise: 'half of the memory of this machine, at least 2g, where that can be enforced',
  }),
  pids: say(
    whole(64, 4_194_304),
    'how many processes and threads there may be at once; the agent inside has about thirty, and some are kept for it',
    { fallback: SANDBOX_DEFAULTS.pids },
  ),
  cpus: say(amount(0.01, 4_096), 'how many processors it may use; 0.5 is half of one', { otherwise: 'no limit' }),
  fileSize: say(size, 'how large a file may be that is written', { fallback: SANDBOX_DEFAULTS.fileSize }),
  tmpSize: say(size, 'how large its /tmp is', { fallback: SANDBOX_DEFAULTS.tmpSize }),
});

const bind = objectOf({
  source: say(absoluteOrHome, 'a folder or file of this machine, by its absolute path; ~ is the home'),
  target: say(absolute, 'where it is seen inside', { otherwise: 'at the path of its source' }),
  access: say(oneOf('ro', 'rw'), 'whether it may be written', { fallback: 'ro' }),
});

const docker = objectOf({
  image: say(text, 'the image of the containers; it is never fetched by itself', {
    otherwise: 'debian:bookworm-slim',
  }),
  socket: say(absoluteOrHome, 'the socket of the engine', { otherwise: 'the usual places are looked at' }),
  runtime: say(text, 'another runtime of the engine, such as runsc'),
  setupCommand: say(text, 'a command that runs once in every new container'),
  user: say(
    fitting(text, 'a user, as uid or uid:gid', (user) => USER.test(user)),
    'the user inside, as uid or uid:gid',
    { otherwise: 'the owner of the workspace' },
  ),
});

/** What holds for sandboxes. */
export const sandbox = objectOf({
  mode: say(
    oneOf('off', 'non-main', 'all'),
    'whose commands and file tools run in a sandbox; non-main is all but the agent main in its own conversation',
    { fallback: SANDBOX_DEFAULTS.mode },
  ),
  backend: say(oneOf('bubblewrap', 'docker', 'podman'), 'what makes the sandboxes', {
    fallback: SANDBOX_DEFAULTS.backend,
  }),
  scope: say(oneOf('session', 'agent', 'shared'), 'who shares one: a conversation, an agent, all', {
    fallback: SANDBOX_DEFAULTS.scope,
  }),
  workspaceAccess: say(oneOf('none', 'ro', 'rw'), 'what may be done with the workspace; none gives an empty one', {
    fallback: SANDBOX_DEFAULTS.workspaceAccess,
  }),
  rw: objectOf({
    onObeyed: say(
      oneOf('alert', 'quarantine'),
      'what happens to a file that programs on this machine obey, when a command in a writable workspace made or changed it: alert reports it; quarantine also takes a new file away and restores a changed one',
      { fallback: SANDBOX_DEFAULTS.onObeyed },
    ),
  }),
  limits,
  network: objectOf({
    allow: say(listOf(networkName), 'the names that may be reached, such as api.example.com or *.example.org:443', {
      fallback: [],
    }),
  }),
  binds: say(
    listOf(fitting(bind, 'an object with a source', ({ source }) => source !== undefined)),
    'what else of this machine is seen inside',
    { fallback: [] },
  ),
  env: say(variables, 'variables of every command inside', { fallback: {} }),
  docker,
  prune: objectOf({
    idleHours: say(amount(0.001, 8_760), 'after how many hours without use a sandbox is ended', {
      fallback: SANDBOX_DEFAULTS.idleHours,
    }),
  }),
});

export type SandboxConfig = Checked<typeof sandbox>;
