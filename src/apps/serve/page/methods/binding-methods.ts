/** The panel "Exec node binding" of the page. */
import { PAGE_METHODS } from '../../../../wire/methods/page-methods.ts';
import type { Infer } from '../../../../wire/schema.ts';
import { type BindingContext, readBindings, writeBinding } from '../../../exec-node-binding.ts';
import type { PageCall, PageMethod } from './page-method.ts';

const { params: setParams } = PAGE_METHODS['binding.set'];
type SetParams = Infer<typeof setParams>;

export function bindingMethods(program: string): Readonly<Record<string, PageMethod>> {
  const contextOf = ({ workspace, gateway, agent }: PageCall): BindingContext => ({
    folder: workspace,
    gateway,
    agents: [agent],
    program,
  });
  return {
    'binding.get': {
      role: 'viewer',
      params: PAGE_METHODS['binding.get'].params,
      run: (_, call) => readBindings(contextOf(call)),
    },
    'binding.set': {
      role: 'operator',
      params: setParams,
      recorded: (params) => {
        const { agent, node, dryRun } = params as SetParams;
        return dryRun === true ? undefined : { method: 'binding.set', agent: agent ?? '*', node: node ?? null };
      },
      run: (params, call) => {
        const { node, ...change } = params as SetParams;
        return writeBinding(contextOf(call), { ...change, node: node ?? null });
      },
    },
  };
}
