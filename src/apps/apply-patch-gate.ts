/** Decides which agents are offered `apply_patch`, for all entry points. */

export interface ApplyPatchGate {
  /** True offers the tool to agents; false disables it for every caller. */
  readonly enabled?: boolean;
  /** The models that get the tool, as `model` or `provider/model`. Default: all models of OpenAI. */
  readonly allowModels?: readonly string[];
  /** A person or program calls this tool by name, and no model chooses: only `enabled: false` disables it then. */
  readonly byName?: true;
  /** Whether patches stay inside the workspace, independent of the other tools. Default: true. */
  readonly workspaceOnly?: boolean;
}

/** The model of an agent. */
export interface ModelName {
  /** The provider's name for it, or `provider/model`. */
  readonly model?: string;
  readonly modelProvider?: string;
}

/**
 * Whether an agent on this model is offered `apply_patch`: the tool is enabled, the model is one of OpenAI (others were
 * not trained on the format) and on the list, if there is one. An unknown model is not offered the tool.
 */
export function offersApplyPatch(
  { enabled, allowModels, byName }: ApplyPatchGate = {},
  model: ModelName = {},
): boolean {
  if (byName === true) return enabled !== false;
  return enabled === true && isOpenAi(model) && (allowModels === undefined || isListed(model, allowModels));
}

function isListed({ model, modelProvider }: ModelName, allowModels: readonly string[]): boolean {
  const name = plain(model ?? '');
  if (name === '') return false;
  const names = new Set([name, name.slice(name.indexOf('/') + 1)]);
  if (modelProvider !== undefined) names.add(`${plain(modelProvider)}/${name}`);
  return allowModels.some((entry) => names.has(plain(entry)));
}

/** Whether a model is one of OpenAI, by its provider or name. The provider may be only the name of the agent's program. */
function isOpenAi({ model = '', modelProvider = '' }: ModelName): boolean {
  if (/^(?:openai|azure-openai|codex)/u.test(plain(modelProvider))) return true;
  return /^(?:(?:openai|openai-codex|azure)\/|gpt-|chatgpt-|o\d(?:-|$)|codex)/u.test(plain(model));
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}
