import { describe, expect, it } from 'vitest';
import { type ApplyPatchGate, type ModelName, offersApplyPatch } from '../../src/apps/apply-patch-gate.ts';

const ON = { enabled: true };

describe('B26: the one rule for apply_patch', () => {
  it.each<[string, ApplyPatchGate, ModelName]>([
    ['a model of OpenAI, where it is switched on', ON, { model: 'gpt-5' }],
    ['a model by its provider alone', ON, { modelProvider: 'openai' }],
    ['a client that names itself Codex', ON, { model: 'codex-mcp-client' }],
    ['a model by its raw name', { ...ON, allowModels: ['gpt-5'] }, { model: 'gpt-5' }],
    [
      'a model by provider and name',
      { ...ON, allowModels: ['openai/gpt-5'] },
      { model: 'gpt-5', modelProvider: 'openai' },
    ],
    ['a model that carries its provider', { ...ON, allowModels: ['openai/gpt-5'] }, { model: 'openai/gpt-5' }],
    ['a raw name on the list for a model with provider', { ...ON, allowModels: ['gpt-5'] }, { model: 'openai/gpt-5' }],
    ['names in other letters', { ...ON, allowModels: [' OpenAI/GPT-5 '] }, { model: 'GPT-5', modelProvider: 'openai' }],
    ['whoever asks for it by name', { byName: true }, {}],
    ['whoever asks for it by name, whatever the list', { byName: true, allowModels: [] }, { model: 'other' }],
  ])('offers it to %s', (_, gate, model) => {
    expect(offersApplyPatch(gate, model)).toBe(true);
  });

  it.each<[string, ApplyPatchGate | undefined, ModelName]>([
    ['every model where nothing is said', undefined, { model: 'gpt-5' }],
    ['every model where a list alone is given', { allowModels: ['gpt-5'] }, { model: 'gpt-5' }],
    ['every model when it is off', { enabled: false, allowModels: ['gpt-5'] }, { model: 'gpt-5' }],
    ['the operator, too, when it is off', { enabled: false, byName: true }, {}],
    ['models of others', ON, { model: 'claude-opus-5' }],
    ['models of others that are on the list', { ...ON, allowModels: ['claude-opus-5'] }, { model: 'claude-opus-5' }],
    ['an unknown model', ON, {}],
    ['every model with an empty list', { ...ON, allowModels: [] }, { model: 'gpt-5' }],
    ['a provider without a model, with a list', { ...ON, allowModels: ['gpt-5'] }, { modelProvider: 'openai' }],
    ['a blank name, whatever the list', { ...ON, allowModels: [''] }, { model: ' ' }],
    ['another model', { ...ON, allowModels: ['gpt-5'] }, { model: 'gpt-5-mini' }],
    [
      'the model of another provider',
      { ...ON, allowModels: ['openai/gpt-5'] },
      { model: 'gpt-5', modelProvider: 'azure' },
    ],
  ])('keeps it from %s', (_, gate, model) => {
    expect(offersApplyPatch(gate, model)).toBe(false);
  });
});
