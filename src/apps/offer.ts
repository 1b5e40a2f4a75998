/** Which tools agents are offered. */

/** The operator's `tools.exec.applyPatch`. */
export interface ApplyPatchGate {
  /** True unless told. */
  readonly enabled?: boolean;
  /** The models that get the tool, as `model` or `provider/model`; without the list every model does, with an empty one none. */
  readonly allowModels?: readonly string[];
  /**
   * Where an agent is offered it only when it is switched on, and only on a model of this family: models of others were not
   * trained on the format.
   */
  readonly family?: 'openai';
  /** Whether patches stay inside the workspace, whatever holds for the other tools; true unless told. */
  readonly workspaceOnly?: boolean;
}

/** The model that an agent runs on. */
export interface ModelName {
  /** As its provider calls it, or as `provider/model`. */
  readonly model?: string;
  readonly modelProvider?: string;
}

/** Whether an agent on this model is offered `apply_patch`; an unknown model is on no list. */
export function offersApplyPatch(gate: ApplyPatchGate = {}, { model, modelProvider }: ModelName = {}): boolean {
  if (gate.enabled === false) return false;
  if (gate.family === 'openai' && (gate.enabled !== true || !isOpenAi({ model, modelProvider }))) return false;
  if (gate.allowModels === undefined) return true;
  const name = plain(model ?? '');
  if (name === '') return false;
  const names = new Set([name, name.slice(name.indexOf('/') + 1)]);
  if (modelProvider !== undefined) names.add(`${plain(modelProvider)}/${name}`);
  return gate.allowModels.some((entry) => names.has(plain(entry)));
}

/** Whether a model is OpenAI's, by its provider or its name. An agent's program may be all that is known of it. */
function isOpenAi({
  model = '',
  modelProvider = '',
}: {
  model: string | undefined;
  modelProvider: string | undefined;
}) {
  if (/^(?:openai|azure-openai|codex)/u.test(plain(modelProvider))) return true;
  return /^(?:(?:openai|openai-codex|azure)\/|gpt-|chatgpt-|o\d(?:-|$)|codex)/u.test(plain(model));
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}
