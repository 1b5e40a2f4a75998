/** Which tools agents are offered. */

/** The operator's `tools.exec.applyPatch`. */
export interface ApplyPatchGate {
  /** True unless told. */
  readonly enabled?: boolean;
  /** The models that get the tool, as `model` or `provider/model`; without the list every model does, with an empty one none. */
  readonly allowModels?: readonly string[];
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
  if (gate.allowModels === undefined) return true;
  const name = plain(model ?? '');
  if (name === '') return false;
  const names = new Set([name, name.slice(name.indexOf('/') + 1)]);
  if (modelProvider !== undefined) names.add(`${plain(modelProvider)}/${name}`);
  return gate.allowModels.some((entry) => names.has(plain(entry)));
}

function plain(name: string): string {
  return name.trim().toLowerCase();
}
