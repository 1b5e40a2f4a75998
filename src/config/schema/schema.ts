/** What a `pincer.jsonc` may say. */
import { ASKS, HOST_NAMES, SECURITIES } from '../../wire/policy.ts';
import { APPROVAL_DEFAULTS, DEFAULT_SAFE_BINS, EXEC_DEFAULTS, MCP_DEFAULTS, SERVE_DEFAULTS } from './defaults.ts';
import { sandbox } from './sandbox-schema.ts';
import { definitions, type JsonSchema, jsonSchema } from '../../wire/json-schema.ts';
import { array, boolean, describe, type Infer, integer, oneOf, partial, record, string } from '../../wire/schema.ts';

const DAY_MS = 86_400_000;

const rule = partial({
  pattern: describe(string(), 'the absolute path of a program, or a glob on it'),
  argPattern: describe(string(), 'a regular expression that the arguments, joined by one space, must match as a whole'),
  args: describe(array(string()), 'what the arguments must begin with, one alternative per entry'),
  reason: describe(string(), 'shown where the rule decides'),
  match: describe(array(string()), 'commands that the rule must match; checked by pincer policy test'),
  notMatch: describe(array(string()), 'commands that the rule must not match'),
});

const safeBinProfile = partial({
  minPositional: describe(integer({ min: 0, max: 64 }), 'how many arguments that are no flags there must be'),
  maxPositional: describe(integer({ min: 0, max: 64 }), 'how many arguments that are no flags there may be'),
  allowedValueFlags: describe(array(string()), 'flags with a value that may be given'),
  allowedFlags: describe(array(string()), 'flags without a value that may be given'),
  deniedFlags: describe(array(string()), 'flags that may not be given'),
});

const applyPatch = partial({
  enabled: describe(
    boolean(),
    'whether agents on models of OpenAI are offered apply_patch; false closes pincer patch, too',
    {
      defaultNote: 'pincer patch works, and agents are not offered it',
    },
  ),
  allowModels: describe(array(string()), 'the models that are offered it, as model or provider/model', {
    defaultNote: 'every model of OpenAI',
  }),
  workspaceOnly: describe(boolean(), 'whether patches stay inside of the workspace', { default: true }),
});

const exec = partial({
  host: describe(oneOf(HOST_NAMES), 'where commands run; sandbox is this machine while sandboxing is off', {
    default: 'sandbox',
  }),
  security: describe(oneOf(SECURITIES), 'which commands may run on gateway and node', {
    defaultNote: 'allowlist on gateway and node, deny for the sandbox',
  }),
  ask: describe(oneOf(ASKS), 'when a person is asked on gateway and node', {
    default: 'on-miss',
  }),
  node: describe(string(), 'the paired machine for host node, by id or name'),
  pathPrepend: describe(array(string()), 'folders in front of PATH; ~ is the home', { default: [] }),
  safeBins: describe(
    array(string()),
    'programs that only filter their input and run without an entry in an allowlist',
    {
      default: DEFAULT_SAFE_BINS,
    },
  ),
  safeBinTrustedDirs: describe(array(string()), 'folders beside /bin and /usr/bin that safe bins may stand in', {
    default: [],
  }),
  safeBinProfiles: describe(record(safeBinProfile), 'the arguments of further safe bins, by their name', {
    default: {},
  }),
  strictInlineEval: describe(boolean(), 'whether inline code (sh -c, node -e) is only ever allowed by a person', {
    default: EXEC_DEFAULTS.strictInlineEval,
  }),
  denyRules: describe(array(rule), 'rules that win over everything', { default: [] }),
  backgroundMs: describe(
    integer({ min: 10, max: 120_000 }),
    'after how long a call gives back a command that still runs, in milliseconds',
    {
      default: EXEC_DEFAULTS.backgroundMs,
    },
  ),
  timeoutSec: describe(integer({ min: 0, max: 31_536_000 }), 'when a command is ended, in seconds; 0 for never', {
    default: EXEC_DEFAULTS.timeoutSec,
  }),
  cleanupMs: describe(
    integer({ min: 60_000, max: 10_800_000 }),
    'how long a session that has ended is kept, in milliseconds',
    {
      default: EXEC_DEFAULTS.cleanupMs,
    },
  ),
  maxLogBytes: describe(integer({ min: 0, max: 2 ** 44 }), 'how much of the output of a session is kept', {
    default: EXEC_DEFAULTS.maxLogBytes,
  }),
  notifyOnExit: describe(boolean(), 'whether the end of a background session is told', {
    default: EXEC_DEFAULTS.notifyOnExit,
  }),
  notifyOnExitEmptySuccess: describe(boolean(), 'whether an end without output and without failure is told too', {
    default: EXEC_DEFAULTS.notifyOnExitEmptySuccess,
  }),
  approvalRunningNoticeMs: describe(
    integer({ min: 0, max: DAY_MS }),
    'after how long an approved command that still runs is told; 0 for never',
    {
      default: EXEC_DEFAULTS.approvalRunningNoticeMs,
    },
  ),
  applyPatch,
});

const tools = partial({
  allow: describe(array(string()), 'the tools that an agent may have; * for all', { defaultNote: 'all' }),
  deny: describe(array(string()), 'the tools that an agent may not have; wins over allow', { default: [] }),
  fs: partial({
    workspaceOnly: describe(boolean(), 'whether the workspace is the boundary of the file tools', { default: true }),
    staleCheck: describe(
      oneOf(['off', 'advise', 'refuse']),
      'what write, edit and apply_patch do when a file is not as the agent last read it',
      { default: 'advise' },
    ),
    secrets: partial({
      hide: describe(
        array(string()),
        'patterns of more files whose values are hidden, such as "*.secret"; wins over show',
        {
          default: [],
        },
      ),
      show: describe(
        array(string()),
        'patterns of files whose values and private keys are shown, such as ".env.test"',
        {
          default: [],
        },
      ),
    }),
  }),
  exec: describe(exec, 'how commands run'),
  elevated: partial({
    enabled: describe(boolean(), 'whether a command may ask for the elevated mode', { default: false }),
    allowFrom: describe(record(array(string())), 'who may ask for it, by channel', { default: {} }),
  }),
});

const agent = partial({
  id: describe(string(), 'how the agent is called: --agent, PINCER_AGENT'),
  name: describe(string(), 'what people call it'),
  model: describe(string(), 'the model that it runs on, as model or provider/model'),
  tools: describe(tools, 'what holds for this agent, over what holds for all'),
  sandbox: describe(sandbox, 'the sandboxes of this agent, over what holds for all'),
});

/** The whole file. */
export const configFile = partial({
  $schema: describe(string(), 'where editors find the schema of this file'),
  tools: describe(tools, 'the tools, for all agents'),
  exec: describe(exec, 'another name of tools.exec, which wins over it'),
  agents: partial({
    defaults: partial({
      elevatedDefault: describe(
        oneOf(['off', 'on', 'ask', 'full']),
        'the elevated mode that a conversation starts with',
        {
          default: 'off',
        },
      ),
    }),
    list: describe(array(agent), 'the agents that something of their own holds for', { default: [] }),
  }),
  sandbox: describe(sandbox, 'where commands and file tools run when they do not run on this machine itself'),
  approvals: partial({
    headless: describe(boolean(), 'whether no person looks at the inbox, so that askFallback answers at once', {
      default: APPROVAL_DEFAULTS.headless,
    }),
    timeoutMs: describe(
      integer({ min: 1_000, max: 30 * DAY_MS }),
      'how long a question waits for an answer, in milliseconds',
      {
        default: APPROVAL_DEFAULTS.timeoutMs,
      },
    ),
  }),
  commands: partial({
    useAccessGroups: describe(boolean(), 'whether only the senders of allowFrom may say /exec and /approve', {
      default: true,
    }),
    allowFrom: describe(array(string()), 'who may say /exec and /approve', { default: [] }),
  }),
  mcp: partial({
    sessionsOnClose: describe(oneOf(['keep', 'end']), 'what becomes of the sessions of an MCP client that leaves', {
      default: MCP_DEFAULTS.sessionsOnClose,
    }),
    preset: describe(
      oneOf(['claude', 'codex', 'openclaw', 'minimal']),
      'the family of models whose names of parameters MCP clients see',
      { defaultNote: 'the names of Pincer' },
    ),
  }),
  serve: partial({
    port: describe(integer({ min: 0, max: 65_535 }), 'the port that pincer serve listens on; 0 for any free one', {
      default: SERVE_DEFAULTS.port,
    }),
    host: describe(string(), 'the address that pincer serve listens on', { default: SERVE_DEFAULTS.host }),
  }),
  plugins: partial({
    entries: describe(
      record(partial({ enabled: describe(boolean(), 'whether the plugin is on', { default: true }) })),
      'the plugins, by their id',
      { default: {} },
    ),
  }),
});

/** Parts that occur in several places of the file, by the name that the JSON Schema gives them. */
const SHARED = { tools, exec, rule, safeBinProfile, sandbox } as const;

export type ConfigFile = Infer<typeof configFile>;
export type ToolsConfig = Infer<typeof tools>;
export type ExecConfig = Infer<typeof exec>;

/** The identifier of the JSON Schema; it is a name, not an address. */
const SCHEMA_ID = 'urn:pincer:config';

/** The JSON Schema of the whole file. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: SCHEMA_ID,
    title: 'pincer.jsonc',
    description: 'What the operator says about the tools of agents. A project’s file may only make rules stricter.',
    ...jsonSchema(configFile, SHARED),
    $defs: definitions(SHARED),
  };
}
