/** Flags that several commands share. Only data, since help and completion load definitions without running a command. */
import { DRY_RUN_FLAG, type FlagDefinition, FORM_FLAGS, QUIET_FLAG, type VerbDefinition } from './definition.ts';

export const WORKSPACE_FLAG: FlagDefinition = {
  name: '--workspace',
  value: '<dir>',
  completes: 'folder',
  summary: 'use this folder as the workspace (default: the current directory)',
};

export const BOUNDARY_FLAG: FlagDefinition = {
  name: '--no-workspace-only',
  summary: 'allow paths outside the workspace',
};

export const AGENT_FLAG: FlagDefinition = {
  name: '--agent',
  value: '<id>',
  summary: 'act as this agent (default: $PINCER_AGENT, or main)',
};

export const CONVERSATION_FLAG: FlagDefinition = {
  name: '--conversation',
  value: '<id>',
  summary: 'act in this conversation; its /exec settings apply',
};

/** `clientFilter` reads it. */
export const CLIENT_FLAG: FlagDefinition = {
  name: '--client',
  value: '<name>',
  summary: 'show only this client: you (the command line), claude-code, codex, …',
};

export const NODE_FLAG: FlagDefinition = {
  name: '--node',
  value: '<node>',
  summary: 'work on the files of this paired machine, by id or name (default: tools.fs.node)',
};

export const MODEL_FLAG: FlagDefinition = {
  name: '--model',
  value: '<name>',
  summary: 'name the calling model; tools.exec.applyPatch.allowModels decides whether it gets apply_patch',
};

export const PRESET_FLAG: FlagDefinition = {
  name: '--preset',
  value: '<family>',
  values: ['claude', 'codex', 'openclaw', 'minimal'],
  summary: 'use the parameter names of a model family: claude, codex, openclaw or minimal',
};

export const PROTECT_FLAG: FlagDefinition = {
  name: '--protect',
  value: '<none>',
  values: ['none'],
  summary: 'allow writing to .git and to configuration files of clients',
};

export const HARD_LINKS_FLAG: FlagDefinition = {
  name: '--hard-links',
  value: '<how>',
  values: ['refuse', 'in-place'],
  summary: 'refuse to write files with several hard links, or write them in-place (default: refuse)',
};

export const MODEL_CONTEXT_FLAG: FlagDefinition = {
  name: '--model-context',
  value: '<n>',
  summary: 'set the context window of the model in tokens, which limits one read',
};

export const SECRETS_FLAG: FlagDefinition = {
  name: '--show-secrets',
  summary: 'show the values in .env files and other files with secrets',
};

export const STALE_CHECK_FLAG: FlagDefinition = {
  name: '--stale-check',
  value: '<how>',
  values: ['off', 'advise', 'refuse'],
  summary:
    'what to do if a file has changed since this agent read it: off, advise or refuse (default: tools.fs.staleCheck, or advise)',
};

export const ALLOW_UNDO_FLAG: FlagDefinition = {
  name: '--allow-undo',
  summary: 'offer the tool changes, with undo and redo',
};

/** All flags that a command that calls tools accepts, even if its help does not list them. */
export const TOOLBOX_FLAGS: readonly FlagDefinition[] = [
  WORKSPACE_FLAG,
  BOUNDARY_FLAG,
  AGENT_FLAG,
  CONVERSATION_FLAG,
  NODE_FLAG,
  MODEL_FLAG,
  MODEL_CONTEXT_FLAG,
  HARD_LINKS_FLAG,
  PROTECT_FLAG,
  STALE_CHECK_FLAG,
  SECRETS_FLAG,
  ALLOW_UNDO_FLAG,
  QUIET_FLAG,
  ...FORM_FLAGS,
];

/** Adds the remaining toolbox flags as hidden flags. */
export function withToolboxFlags(shown: readonly FlagDefinition[]): readonly FlagDefinition[] {
  const rest = TOOLBOX_FLAGS.filter(({ name }) => shown.every((flag) => flag.name !== name));
  return [...shown, ...rest.map((flag) => ({ ...flag, hidden: true as const }))];
}

/** Of commands that a systemd user unit can run. */
export const UNIT_VERBS: readonly VerbDefinition[] = [
  { name: 'install', positionals: [] },
  { name: 'uninstall', positionals: [] },
];

export const UNIT_FLAGS: readonly FlagDefinition[] = [
  {
    name: '--force',
    summary: 'replace or remove a unit that pincer did not write',
    verbs: ['install', 'uninstall'],
  },
  { ...DRY_RUN_FLAG, summary: 'print the unit, and write nothing', verbs: ['install'] },
];
