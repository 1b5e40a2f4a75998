/** Flags of the commands that call tools; only data, since definitions are read for help and completion. */
import { type FlagDefinition, FORM_FLAGS, QUIET_FLAG } from './definition.ts';

/** The folder that paths start from. */
export const WORKSPACE_FLAG: FlagDefinition = {
  name: '--workspace',
  value: '<dir>',
  completes: 'folder',
  summary: 'where relative paths start, and what no path may leave (the working folder)',
};

/** Whether paths may leave it. */
export const BOUNDARY_FLAG: FlagDefinition = {
  name: '--no-workspace-only',
  summary: 'allow paths outside of the workspace',
};

/** For which agent. */
export const AGENT_FLAG: FlagDefinition = {
  name: '--agent',
  value: '<id>',
  summary: 'who changes the file, kept with every change (PINCER_AGENT, else main)',
};

/** Of which client; `operator.ts` reads it. */
export const CLIENT_FLAG: FlagDefinition = {
  name: '--client',
  value: '<name>',
  summary: 'only of this client: you (the command line), claude-code, codex, …',
};

/** Whether `.git` and files of clients may be written. */
export const PROTECT_FLAG: FlagDefinition = {
  name: '--protect',
  value: '<none>',
  values: ['none'],
  summary: 'allow writing .git and files of clients',
};

/** What becomes of files with several names. */
export const HARD_LINKS_FLAG: FlagDefinition = {
  name: '--hard-links',
  value: '<how>',
  values: ['refuse', 'in-place'],
  summary: 'refuse files with several names, or write them in-place (refuse)',
};

/** How much a model can hold. */
export const MODEL_CONTEXT_FLAG: FlagDefinition = {
  name: '--model-context',
  value: '<n>',
  summary: 'the tokens that the model can hold: how much one read gives',
};

/** Whether secrets are shown. */
export const SECRETS_FLAG: FlagDefinition = {
  name: '--show-secrets',
  summary: 'show the values of .env files and other files with secrets',
};

/** All that a command which calls tools understands about its workspace (`operator.ts`), whether its help names it or not. */
export const TOOLBOX_FLAGS: readonly FlagDefinition[] = [
  WORKSPACE_FLAG,
  BOUNDARY_FLAG,
  { ...AGENT_FLAG, summary: 'who calls, kept with every change (PINCER_AGENT, else main)' },
  { name: '--conversation', value: '<id>', summary: 'kept with every change; its /exec values hold for exec' },
  {
    name: '--model',
    value: '<name>',
    summary: 'the model that calls: decides whether apply_patch is offered (tools.exec.applyPatch.allowModels)',
  },
  MODEL_CONTEXT_FLAG,
  HARD_LINKS_FLAG,
  PROTECT_FLAG,
  {
    name: '--stale-check',
    value: '<how>',
    values: ['off', 'advise', 'refuse'],
    summary: 'off, advise or refuse when a file is not as this agent last read it (tools.fs.staleCheck, else advise)',
  },
  SECRETS_FLAG,
  { name: '--allow-undo', summary: 'offer the tool changes, with undo and redo' },
  QUIET_FLAG,
  ...FORM_FLAGS,
];

/** These flags, and the rest of what a command that calls tools understands. */
export function withToolboxFlags(shown: readonly FlagDefinition[]): readonly FlagDefinition[] {
  const rest = TOOLBOX_FLAGS.filter(({ name }) => shown.every((flag) => flag.name !== name));
  return [...shown, ...rest.map((flag) => ({ ...flag, hidden: true as const }))];
}
