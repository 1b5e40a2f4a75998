/** What a `pincer.jsonc` may say. */
import { ASKS, HOST_NAMES, SECURITIES } from '../wire/policy.ts';
import { APPROVAL_DEFAULTS, DEFAULT_SAFE_BINS, EXEC_DEFAULTS, MCP_DEFAULTS, SERVE_DEFAULTS } from './defaults.ts';
import { sandbox } from './sandbox-schema.ts';
import { type Checked, flag, listOf, objectOf, oneOf, recordOf, say, text, whole } from './shape.ts';

const DAY_MS = 86_400_000;

const rule = objectOf({
  pattern: say(text, 'the absolute path of a program, or a glob on it'),
  argPattern: say(text, 'a regular expression that the arguments, joined by one space, must match as a whole'),
  args: say(listOf(text), 'what the arguments must begin with, one alternative per entry'),
  reason: say(text, 'shown where the rule decides'),
  match: say(listOf(text), 'commands that the rule must match; checked by pincer policy test'),
  notMatch: say(listOf(text), 'commands that the rule must not match'),
});

const safeBinProfile = objectOf({
  minPositional: say(whole(0, 64), 'how many arguments that are no flags there must be'),
  maxPositional: say(whole(0, 64), 'how many arguments that are no flags there may be'),
  allowedValueFlags: say(listOf(text), 'flags with a value that may be given'),
  allowedFlags: say(listOf(text), 'flags without a value that may be given'),
  deniedFlags: say(listOf(text), 'flags that may not be given'),
});

const applyPatch = objectOf({
  enabled: say(flag, 'whether agents on models of OpenAI are offered apply_patch; false closes pincer patch, too', {
    otherwise: 'pincer patch works, and agents are not offered it',
  }),
  allowModels: say(listOf(text), 'the models that are offered it, as model or provider/model', {
    otherwise: 'every model of OpenAI',
  }),
  workspaceOnly: say(flag, 'whether patches stay inside of the workspace', { fallback: true }),
});

const exec = objectOf({
  host: say(oneOf(...HOST_NAMES), 'where commands run; sandbox is this machine while sandboxing is off', {
    fallback: 'sandbox',
  }),
  security: say(oneOf(...SECURITIES), 'which commands may run on gateway and node', {
    otherwise: 'allowlist on gateway and node, deny for the sandbox',
  }),
  ask: say(oneOf(...ASKS), 'when a person is asked on gateway and node', { fallback: 'on-miss' }),
  node: say(text, 'the paired machine for host node, by id or name'),
  pathPrepend: say(listOf(text), 'folders in front of PATH; ~ is the home', { fallback: [] }),
  safeBins: say(listOf(text), 'programs that only filter their input and run without an entry in an allowlist', {
    fallback: DEFAULT_SAFE_BINS,
  }),
  safeBinTrustedDirs: say(listOf(text), 'folders beside /bin and /usr/bin that safe bins may stand in', {
    fallback: [],
  }),
  safeBinProfiles: say(recordOf(safeBinProfile), 'the arguments of further safe bins, by their name', { fallback: {} }),
  strictInlineEval: say(flag, 'whether inline code (sh -c, node -e) is only ever allowed by a person', {
    fallback: EXEC_DEFAULTS.strictInlineEval,
  }),
  denyRules: say(listOf(rule), 'rules that win over everything', { fallback: [] }),
  backgroundMs: say(whole(10, 120_000), 'after how long a call gives back a command that still runs, in milliseconds', {
    fallback: EXEC_DEFAULTS.backgroundMs,
  }),
  timeoutSec: say(whole(0, 31_536_000), 'when a command is ended, in seconds; 0 for never', {
    fallback: EXEC_DEFAULTS.timeoutSec,
  }),
  cleanupMs: say(whole(60_000, 10_800_000), 'how long a session that has ended is kept, in milliseconds', {
    fallback: EXEC_DEFAULTS.cleanupMs,
  }),
  maxLogBytes: say(whole(0, 2 ** 44), 'how much of the output of a session is kept', {
    fallback: EXEC_DEFAULTS.maxLogBytes,
  }),
  notifyOnExit: say(flag, 'whether the end of a background session is told', { fallback: EXEC_DEFAULTS.notifyOnExit }),
  notifyOnExitEmptySuccess: say(flag, 'whether an end without output and without failure is told too', {
    fallback: EXEC_DEFAULTS.notifyOnExitEmptySuccess,
  }),
  approvalRunningNoticeMs: say(
    whole(0, DAY_MS),
    'after how long an approved command that still runs is told; 0 for never',
    {
      fallback: EXEC_DEFAULTS.approvalRunningNoticeMs,
    },
  ),
  applyPatch,
});

const tools = objectOf({
  allow: say(listOf(text), 'the tools that an agent may have; * for all', { otherwise: 'all' }),
  deny: say(listOf(text), 'the tools that an agent may not have; wins over allow', { fallback: [] }),
  fs: objectOf({
    workspaceOnly: say(flag, 'whether the workspace is the boundary of the file tools', { fallback: true }),
    staleCheck: say(
      oneOf('off', 'advise', 'refuse'),
      'what write, edit and apply_patch do when a file is not as the agent last read it',
      { fallback: 'advise' },
    ),
    secrets: objectOf({
      hide: say(listOf(text), 'patterns of more files whose values are hidden, such as "*.secret"; wins over show', {
        fallback: [],
      }),
      show: say(listOf(text), 'patterns of files whose values and private keys are shown, such as ".env.test"', {
        fallback: [],
      }),
    }),
  }),
  exec: say(exec, 'how commands run'),
  elevated: objectOf({
    enabled: say(flag, 'whether a command may ask for the elevated mode', { fallback: false }),
    allowFrom: say(recordOf(listOf(text)), 'who may ask for it, by channel', { fallback: {} }),
  }),
});

const agent = objectOf({
  id: say(text, 'how the agent is called: --agent, PINCER_AGENT'),
  name: say(text, 'what people call it'),
  model: say(text, 'the model that it runs on, as model or provider/model'),
  tools: say(tools, 'what holds for this agent, over what holds for all'),
  sandbox: say(sandbox, 'the sandboxes of this agent, over what holds for all'),
});

/** The whole file. */
export const configFile = objectOf({
  $schema: say(text, 'where editors find the schema of this file'),
  tools: say(tools, 'the tools, for all agents'),
  exec: say(exec, 'another name of tools.exec, which wins over it'),
  agents: objectOf({
    defaults: objectOf({
      elevatedDefault: say(oneOf('off', 'on', 'ask', 'full'), 'the elevated mode that a conversation starts with', {
        fallback: 'off',
      }),
    }),
    list: say(listOf(agent), 'the agents that something of their own holds for', { fallback: [] }),
  }),
  sandbox: say(sandbox, 'where commands and file tools run when they do not run on this machine itself'),
  approvals: objectOf({
    headless: say(flag, 'whether no person looks at the inbox, so that askFallback answers at once', {
      fallback: APPROVAL_DEFAULTS.headless,
    }),
    timeoutMs: say(whole(1_000, 30 * DAY_MS), 'how long a question waits for an answer, in milliseconds', {
      fallback: APPROVAL_DEFAULTS.timeoutMs,
    }),
  }),
  commands: objectOf({
    useAccessGroups: say(flag, 'whether only the senders of allowFrom may say /exec and /approve', { fallback: true }),
    allowFrom: say(listOf(text), 'who may say /exec and /approve', { fallback: [] }),
  }),
  mcp: objectOf({
    sessionsOnClose: say(oneOf('keep', 'end'), 'what becomes of the sessions of an MCP client that leaves', {
      fallback: MCP_DEFAULTS.sessionsOnClose,
    }),
    preset: say(
      oneOf('claude', 'codex', 'openclaw', 'minimal'),
      'the family of models whose names of parameters MCP clients see',
      { otherwise: 'the names of Pincer' },
    ),
  }),
  serve: objectOf({
    port: say(whole(0, 65_535), 'the port that pincer serve listens on; 0 for any free one', {
      fallback: SERVE_DEFAULTS.port,
    }),
    host: say(text, 'the address that pincer serve listens on', { fallback: SERVE_DEFAULTS.host }),
  }),
  plugins: objectOf({
    entries: say(
      recordOf(objectOf({ enabled: say(flag, 'whether the plugin is on', { fallback: true }) })),
      'the plugins, by their id',
      { fallback: {} },
    ),
  }),
});

/** Parts that stand in several places of the file, by the name that the JSON Schema gives them. */
export const SHARED = { tools, exec, rule, safeBinProfile, sandbox } as const;

export type ConfigFile = Checked<typeof configFile>;
export type ToolsConfig = Checked<typeof tools>;
export type ExecConfig = Checked<typeof exec>;
