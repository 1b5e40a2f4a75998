import { describe, expect, it } from 'vitest';
import { type ApplyPatchGate, type ModelName, offersApplyPatch } from '../../src/apps/offer.ts';

describe('the gate of apply_patch', () => {
  it.each<[string, ApplyPatchGate | undefined, ModelName]>([
    ['any model without a gate', undefined, { model: 'gpt-5' }],
    ['an unknown model without a list', { enabled: true }, {}],
    ['a model by its raw name', { allowModels: ['gpt-5'] }, { model: 'gpt-5' }],
    ['a model by provider and name', { allowModels: ['openai/gpt-5'] }, { model: 'gpt-5', modelProvider: 'openai' }],
    ['a model that carries its provider', { allowModels: ['openai/gpt-5'] }, { model: 'openai/gpt-5' }],
    ['a raw name on the list for a model with provider', { allowModels: ['gpt-5'] }, { model: 'openai/gpt-5' }],
    ['names in other letters', { allowModels: [' OpenAI/GPT-5 '] }, { model: 'gpt-5', modelProvider: 'openai' }],
  ])('lets %s through', (_, gate, model) => {
    expect(offersApplyPatch(gate, model)).toBe(true);
  });

  it.each<[string, ApplyPatchGate, ModelName]>([
    ['every model when it is off', { enabled: false, allowModels: ['gpt-5'] }, { model: 'gpt-5' }],
    ['every model with an empty list', { allowModels: [] }, { model: 'gpt-5' }],
    ['an unknown model with a list', { allowModels: ['gpt-5'] }, {}],
    ['a blank name, whatever the list', { allowModels: [''] }, { model: ' ' }],
    ['another model', { allowModels: ['gpt-5'] }, { model: 'gpt-5-mini' }],
    ['the model of another provider', { allowModels: ['openai/gpt-5'] }, { model: 'gpt-5', modelProvider: 'azure' }],
    ['a provider that is not known', { allowModels: ['openai/gpt-5'] }, { model: 'gpt-5' }],
  ])('stops %s', (_, gate, model) => {
    expect(offersApplyPatch(gate, model)).toBe(false);
  });
});
