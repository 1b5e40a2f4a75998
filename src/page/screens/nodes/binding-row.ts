import type { ExecBindings } from '../../../wire/nodes/binding.ts';

/** `agent` is absent for the default of all agents. */
export type BindingRow = ExecBindings['default'] & { readonly agent?: string };
