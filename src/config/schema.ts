/** What a `pincer.jsonc` may say. Defaults stand where the values are used, in `exec.ts`. */
import { type Checked, flag, listOf, objectOf, oneOf, recordOf, text, whole } from './shape.ts';

const DAY_MS = 86_400_000;

const rule = {
  pattern: text,
  argPattern: text,
  args: listOf(text),
  reason: text,
  match: listOf(text),
  notMatch: listOf(text),
};

const safeBinProfile = objectOf({
  minPositional: whole(0, 64),
  maxPositional: whole(0, 64),
  allowedValueFlags: listOf(text),
  allowedFlags: listOf(text),
  deniedFlags: listOf(text),
});

const exec = objectOf({
  host: oneOf('sandbox', 'gateway', 'node'),
  security: oneOf('deny', 'allowlist', 'full'),
  ask: oneOf('off', 'on-miss', 'always'),
  node: text,
  pathPrepend: listOf(text),
  safeBins: listOf(text),
  safeBinTrustedDirs: listOf(text),
  safeBinProfiles: recordOf(safeBinProfile),
  strictInlineEval: flag,
  denyRules: listOf(objectOf(rule)),
  backgroundMs: whole(10, 120_000),
  timeoutSec: whole(0, 31_536_000),
  cleanupMs: whole(60_000, 10_800_000),
  maxLogBytes: whole(0, 2 ** 44),
  notifyOnExit: flag,
  notifyOnExitEmptySuccess: flag,
  approvalRunningNoticeMs: whole(0, DAY_MS),
  applyPatch: objectOf({ enabled: flag, allowModels: listOf(text), workspaceOnly: flag }),
});

const tools = objectOf({
  allow: listOf(text),
  deny: listOf(text),
  fs: objectOf({ workspaceOnly: flag }),
  exec,
  elevated: objectOf({ enabled: flag, allowFrom: recordOf(listOf(text)) }),
});

/** The whole file. */
export const configFile = objectOf({
  $schema: text,
  tools,
  agents: objectOf({
    defaults: objectOf({ elevatedDefault: oneOf('off', 'on', 'ask', 'full') }),
    list: listOf(objectOf({ id: text, tools })),
  }),
  approvals: objectOf({ headless: flag, timeoutMs: whole(1_000, 30 * DAY_MS) }),
  commands: objectOf({ useAccessGroups: flag, allowFrom: listOf(text) }),
});

export type ConfigFile = Checked<typeof configFile>;
export type ToolsConfig = Checked<typeof tools>;
export type ExecConfig = Checked<typeof exec>;
