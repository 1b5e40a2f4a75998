/** The schema of `pincer.jsonc`. The descriptions appear in the JSON Schema, docs/config.md and hints. */
import { nodeAnswers } from '../../wire/approval.ts';
import { ASKS, compound, HOST_NAMES, onMiss, SECURITIES, starter, unprofiled } from '../../wire/policy.ts';
import { profile } from '../../wire/profile.ts';
import {
  APPROVAL_DEFAULTS,
  DEFAULT_SAFE_BINS,
  EXEC_DEFAULTS,
  MCP_DEFAULTS,
  NODE_DEFAULTS,
  SERVE_DEFAULTS,
} from './defaults.ts';
import { sandbox } from './sandbox-schema.ts';
import { definitions, type JsonSchema, jsonSchema } from '../../wire/json-schema.ts';
import {
  anyOf,
  array,
  boolean,
  describe,
  type Infer,
  integer,
  object,
  oneOf,
  partial,
  record,
  refine,
  string,
} from '../../wire/schema.ts';
import { isListenAddress } from './listen-address.ts';

const DAY_MS = 86_400_000;

const rule = partial({
  pattern: describe(string(), 'absolute path of a program, or a glob that matches it'),
  argPattern: describe(string(), 'regular expression that must match all arguments, joined by one space'),
  args: describe(array(string()), 'prefixes of the argument list; one of them must match'),
  reason: describe(string(), 'reason shown when the rule decides'),
  match: describe(array(string()), 'examples that the rule must match; pincer policy test checks them'),
  notMatch: describe(array(string()), 'examples that the rule must not match; pincer policy test checks them'),
});

const safeBinProfile = partial({
  minPositional: describe(integer({ min: 0, max: 64 }), 'minimum number of positional arguments'),
  maxPositional: describe(integer({ min: 0, max: 64 }), 'maximum number of positional arguments'),
  allowedValueFlags: describe(array(string()), 'allowed flags that take a value'),
  allowedFlags: describe(array(string()), 'allowed flags without a value'),
  deniedFlags: describe(array(string()), 'denied flags'),
});

const applyPatch = partial({
  enabled: describe(boolean(), 'offer apply_patch to agents on OpenAI models; false also disables pincer patch', {
    defaultNote: 'only pincer patch is enabled',
  }),
  allowModels: describe(array(string()), 'models that get apply_patch, as model or provider/model', {
    defaultNote: 'all OpenAI models',
  }),
  workspaceOnly: describe(boolean(), 'refuse patches to files outside the workspace', { default: true }),
});

const exec = partial({
  host: describe(oneOf(HOST_NAMES), 'where commands run; sandbox means this machine when sandbox.mode is off', {
    default: 'sandbox',
  }),
  security: describe(oneOf(SECURITIES), 'which commands may run on gateway and node', {
    defaultNote: 'allowlist on gateway and node, deny in the sandbox',
  }),
  ask: describe(oneOf(ASKS), 'when commands on gateway and node need approval by a person', { default: 'on-miss' }),
  node: describe(string(), 'paired machine for host node, by id or name'),
  nodes: describe(array(string()), 'paired machines that may be chosen for host node, by id or name', {
    defaultNote: 'all',
  }),
  pathPrepend: describe(array(string()), 'folders to put first in PATH; ~ is the home folder', { default: [] }),
  safeBins: describe(array(string()), 'stdin filters that run without an allowlist entry', {
    default: DEFAULT_SAFE_BINS,
  }),
  safeBinTrustedDirs: describe(array(string()), 'folders to trust for safe bins, in addition to /bin and /usr/bin', {
    default: [],
  }),
  safeBinProfiles: describe(record(safeBinProfile), 'allowed arguments of additional safe bins, by program name', {
    default: {},
  }),
  strictInlineEval: describe(boolean(), 'require approval by a person for inline code (sh -c, node -e)', {
    default: EXEC_DEFAULTS.strictInlineEval,
  }),
  starter: describe(
    starter,
    'known programs that run without an entry: none, those that read, or also those that write in the workspace',
    {
      default: EXEC_DEFAULTS.starter,
    },
  ),
  compound: describe(
    compound,
    'what happens to chains, redirections and file name patterns: ask, or run them as steps',
    {
      default: EXEC_DEFAULTS.compound,
    },
  ),
  unprofiled: describe(unprofiled, 'what an entry without arguments allows for a program without a profile', {
    default: EXEC_DEFAULTS.unprofiled,
  }),
  onMiss: describe(onMiss, 'what happens to a command that no rule covers: ask, or run it in the sandbox', {
    default: EXEC_DEFAULTS.onMiss,
  }),
  profiles: describe(record(profile), 'profiles of additional programs, by program name; not in a project file', {
    default: {},
  }),
  env: describe(
    array(string({ pattern: /^[A-Za-z_][A-Za-z0-9_]*$/u })),
    'additional variables that a call may set without approval, by name; not in a project file',
    { default: [] },
  ),
  denyRules: describe(array(rule), 'rules that deny commands; they override all other rules', { default: [] }),
  backgroundMs: describe(
    integer({ min: 10, max: 120_000 }),
    'how long exec waits before the command continues in the background, in milliseconds',
    { default: EXEC_DEFAULTS.backgroundMs },
  ),
  timeoutSec: describe(integer({ min: 0, max: 31_536_000 }), 'time limit of a command, in seconds; 0 for none', {
    default: EXEC_DEFAULTS.timeoutSec,
  }),
  cleanupMs: describe(integer({ min: 60_000, max: 10_800_000 }), 'how long to keep an ended session, in milliseconds', {
    default: EXEC_DEFAULTS.cleanupMs,
  }),
  maxLogBytes: describe(integer({ min: 0, max: 2 ** 44 }), 'how much output to keep per session, in bytes', {
    default: EXEC_DEFAULTS.maxLogBytes,
  }),
  notifyOnExit: describe(boolean(), 'send a notice when a background session ends', {
    default: EXEC_DEFAULTS.notifyOnExit,
  }),
  notifyOnExitEmptySuccess: describe(boolean(), 'also send it for a session that succeeded without output', {
    default: EXEC_DEFAULTS.notifyOnExitEmptySuccess,
  }),
  approvalRunningNoticeMs: describe(
    integer({ min: 0, max: DAY_MS }),
    'when to send a notice about an approved command that still runs, in milliseconds; 0 for never',
    { default: EXEC_DEFAULTS.approvalRunningNoticeMs },
  ),
  applyPatch,
});

const tools = partial({
  allow: describe(array(string()), 'tools that agents may use; * for all', { defaultNote: 'all' }),
  deny: describe(array(string()), 'tools that agents may not use; overrides allow', { default: [] }),
  fs: partial({
    node: describe(string(), 'paired machine whose files the file tools work on, by id or name; not in a project file'),
    nodes: describe(array(string()), 'paired machines that file tools may work on, by id or name', {
      defaultNote: 'all',
    }),
    workspaceOnly: describe(boolean(), 'refuse paths outside the workspace in file tools', { default: true }),
    staleCheck: describe(
      oneOf(['off', 'advise', 'refuse']),
      'what write, edit and apply_patch do when a file changed since the agent read it',
      { default: 'advise' },
    ),
    secrets: partial({
      hide: describe(
        array(string()),
        'patterns of additional files whose values are hidden, such as "*.secret"; overrides show',
        { default: [] },
      ),
      show: describe(
        array(string()),
        'patterns of files whose values and private keys are shown, such as ".env.test"',
        { default: [] },
      ),
    }),
  }),
  exec: describe(exec, 'running commands'),
  elevated: partial({
    enabled: describe(boolean(), 'allow commands to request elevated mode', { default: false }),
    allowFrom: describe(record(array(string())), 'senders that may request it, by channel', { default: {} }),
  }),
});

const agent = partial({
  id: describe(string(), 'id of the agent, as in --agent and PINCER_AGENT'),
  name: describe(string(), 'display name'),
  model: describe(string(), 'model of the agent, as model or provider/model'),
  tools: describe(tools, 'tool settings of this agent; they override the top-level tools'),
  sandbox: describe(sandbox, 'sandbox settings of this agent; they override the top-level sandbox'),
});

export const configFile = partial({
  $schema: describe(string(), 'JSON Schema of this file, for editors'),
  tools: describe(tools, 'tool settings of all agents'),
  exec: describe(exec, 'alias of tools.exec; tools.exec takes precedence'),
  agents: partial({
    defaults: partial({
      elevatedDefault: describe(oneOf(['off', 'on', 'ask', 'full']), 'initial elevated mode of a conversation', {
        default: 'off',
      }),
    }),
    list: describe(array(agent), 'agents that have their own settings', { default: [] }),
  }),
  sandbox: describe(sandbox, 'isolation of commands and file tools from this machine'),
  approvals: partial({
    headless: describe(boolean(), 'no person answers approval requests; askFallback decides immediately', {
      default: APPROVAL_DEFAULTS.headless,
    }),
    timeoutMs: describe(
      integer({ min: 1_000, max: 30 * DAY_MS }),
      'how long an approval request waits for an answer, in milliseconds',
      { default: APPROVAL_DEFAULTS.timeoutMs },
    ),
    maxOpen: describe(
      integer({ min: 0, max: 1_000 }),
      'open approval requests of an agent; further commands that need approval are denied',
      { default: APPROVAL_DEFAULTS.maxOpen },
    ),
    maxNew: describe(
      integer({ min: 0, max: 10_000 }),
      'new approval requests of an agent in 10 minutes; further commands that need approval are denied',
      { default: APPROVAL_DEFAULTS.maxNew },
    ),
  }),
  commands: partial({
    useAccessGroups: describe(boolean(), 'accept /exec and /approve only from senders in allowFrom', { default: true }),
    allowFrom: describe(
      array(string()),
      'senders that may use /exec and /approve; node:<id> is a paired node, for /exec only',
      { default: [] },
    ),
  }),
  mcp: partial({
    sessionsOnClose: describe(
      oneOf(['keep', 'end']),
      'what happens to the sessions of an MCP client that disconnects',
      { default: MCP_DEFAULTS.sessionsOnClose },
    ),
    preset: describe(
      oneOf(['claude', 'codex', 'openclaw', 'minimal']),
      'model family whose parameter names MCP clients see',
      { defaultNote: 'the parameter names of pincer' },
    ),
  }),
  serve: partial({
    port: describe(integer({ min: 0, max: 65_535 }), 'port of pincer serve; 0 for any free port', {
      default: SERVE_DEFAULTS.port,
    }),
    host: describe(string(), 'address that pincer serve binds to', { default: SERVE_DEFAULTS.host }),
  }),
  node: describe(
    partial({
      gateway: describe(string(), 'address of the gateway that pincer node run connects to, such as wss://host:7463'),
      name: describe(string({ max: 64 }), 'name of this machine at the gateway', { defaultNote: 'the host name' }),
      workspace: describe(string(), 'folder of commands and file tools of the gateway; ~ is the home folder', {
        defaultNote: 'the home folder',
      }),
      exec: describe(
        oneOf(['off', 'judged']),
        'whether the gateway may run commands here; the rules of this machine judge them',
        { default: NODE_DEFAULTS.exec },
      ),
      sandbox: describe(
        boolean(),
        'run commands of the gateway in a sandbox, by the settings of sandbox, and refuse them where none works',
        { default: NODE_DEFAULTS.sandbox },
      ),
      files: describe(
        oneOf(['none', 'ro', 'rw']),
        'whether file tools of the gateway may read (ro), or read and change (rw), the files in the workspace',
        { defaultNote: 'rw where a workspace is named with node.workspace or --workspace, otherwise none' },
      ),
      answers: describe(
        nodeAnswers,
        'what an answer at the gateway may do to an approval request of this machine: nothing, allow one run, or also store a rule',
        { default: NODE_DEFAULTS.answers },
      ),
      pathPrefixes: describe(
        array(string()),
        'folders that tools.exec.pathPrepend of the gateway may put first in PATH; with others, allowed commands ask',
        { default: [] },
      ),
    }),
    'this machine as a node of a gateway; only the user file can set it',
  ),
  gateway: partial({
    cluster: partial({
      nats: partial({
        servers: describe(
          array(string()),
          'NATS servers of pincer gateway and its nodes, such as tls://nats.example:4222; only the user file can set it',
          { defaultNote: 'none: nodes connect to the gateway itself' },
        ),
        creds: describe(string(), 'path of the credentials that pincer nodes nats-setup wrote'),
      }),
    }),
  }),
  nodes: partial({
    listen: describe(
      refine(string(), 'an address and a port, such as 127.0.0.1:7463 or [::1]:7463', isListenAddress),
      'address and port that pincer gateway listens on for nodes; not in a project file',
      { defaultNote: 'none: nodes cannot connect' },
    ),
    tls: describe(
      anyOf(
        '"own", "proxy", or an object with cert and key',
        oneOf(['own', 'proxy']),
        object({
          cert: describe(string(), 'path of the certificate, PEM'),
          key: describe(string(), 'path of its private key, PEM'),
        }),
      ),
      'certificate for nodes: own is a self-signed one, which is enough, because the handshake proves both ends; with proxy, a reverse proxy on this machine terminates TLS, and nodes.listen is a loopback address',
      { default: 'own' },
    ),
  }),
  plugins: partial({
    entries: describe(
      record(partial({ enabled: describe(boolean(), 'enable the plugin', { default: true }) })),
      'plugins, by id',
      { default: {} },
    ),
  }),
});

/** The `$defs` of the JSON Schema: parts that occur in several places. */
const SHARED = { tools, exec, rule, safeBinProfile, sandbox } as const;

export type ConfigFile = Infer<typeof configFile>;
export type ToolsConfig = Infer<typeof tools>;
export type ExecConfig = Infer<typeof exec>;

/** A name, not an address. */
const SCHEMA_ID = 'urn:pincer:config';

export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title: 'pincer.jsonc',
    description: 'Settings for the tools of agents. A project’s file may only make rules stricter.',
    ...jsonSchema(configFile, SHARED),
    $defs: definitions(SHARED),
  };
}
