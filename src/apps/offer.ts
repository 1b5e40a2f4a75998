/** Which agents are offered `apply_patch`: one rule for every way in. */

/** The operator's `tools.exec.applyPatch`, and how the tool is asked for. */
export interface ApplyPatchGate {
  /** Agents are offered the tool where this is true; false closes it for everybody. */
  readonly enabled?: boolean;
  /** The models that get the tool, as `model` or `provider/model`. Default: every model of OpenAI. */
  readonly allowModels?: readonly string[];
  /**
   * A person at the command line or a program asks for this one tool, and no model chooses among tools: then only
   * `enabled: false` closes it.
   */
  readonly byName?: true;
  /** Whether patches stay inside the workspace, whatever holds for the other tools. Default: true. */
  readonly workspaceOnly?: boolean;
}

/** The model that an agent runs on. */
export interface ModelName {
  /** As its provider calls it, or as `provider/model`. */
  readonly model?: string;
  readonly modelProvider?: string;
}

/**
 * Whether an agent on this model is offered `apply_patch`: it is switched on, the model is OpenAI's (others were not trained
 * on the format) and, where there is a list, on it. An unknown model is neither.
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

/** Whether a model is OpenAI's, by its provider or its name. An agent's program may be all that is known of it. */
function isOpenAi({ model = '', modelProvider = '' }: ModelName): boolean {
  if (/^(?:openai|azure-openai|codex)/u.test(plain(modelProvider))) return true;
  return /^(?:(?:openai|openai-codex|azure)\/|gpt-|chatgpt-|o\d(?:-|$)|codex)/u.test(plain(model));
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}
