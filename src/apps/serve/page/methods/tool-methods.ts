/** The tools of the served workspace for the person at the page: for files, changes, and to try what an agent would get. */
import { effectsOfCall, findTool } from '../../../../tools/call.ts';
import { PAGE_METHODS, type PageMethods } from '../../../../wire/methods/page-methods.ts';
import { isObject } from '../../../../wire/schema.ts';
import type { Toolbox } from '../../../assemble.ts';
import { CATALOGUE } from '../../../catalogue.ts';
import { needsOperator } from '../faults.ts';
import { filesTree } from './files-tree.ts';
import type { PageCall, PageMethod } from './page-method.ts';
import { callOptions, pageTools, type PageToolsOptions } from './page-tools.ts';

export function toolMethods(
  options: PageToolsOptions,
): Readonly<Record<'tool.list' | 'tool.call' | 'files.tree', PageMethod>> {
  const pageToolboxes = pageTools(options);
  async function within<T>(whose: 'agent' | 'operator', work: (tools: Toolbox) => Promise<T>): Promise<T> {
    return whose === 'agent' ? work(await pageToolboxes.asAgent()) : pageToolboxes.asOperator(work);
  }
  return {
    'tool.list': {
      role: 'viewer',
      params: PAGE_METHODS['tool.list'].params,
      run: (params) =>
        within((params as PageMethods['tool.list']['params']).as ?? 'operator', async (tools) => ({
          tools: await tools.tools(),
        })),
    },
    'tool.call': {
      role: 'viewer',
      params: PAGE_METHODS['tool.call'].params,
      async run(params, call) {
        const { tool: name, args, as: whose = 'operator' } = params as PageMethods['tool.call']['params'];
        await refuseOrRecord(name, args, call);
        return within(whose, (tools) => tools.call(name, args, callOptions(call)));
      },
    },
    'files.tree': filesTree(pageToolboxes),
  };
}

/** A viewer may make the calls that only read. Others are recorded. */
async function refuseOrRecord(name: string, args: unknown, { login, gateway, by }: PageCall): Promise<void> {
  const entry = findTool(CATALOGUE, name);
  if (effectsOfCall(await entry.load(), args) === 'reads') return;
  if (login.role !== 'operator') throw needsOperator(`this call of ${entry.name}`);
  await gateway.call('login.record', { by, details: { method: 'tool.call', tool: entry.name, ...namesIn(args) } });
}

/** The parameters that say what a call is about. Others may be secrets, such as a new value. */
const RECORDED = ['verb', 'action', 'path', 'id', 'sessionId', 'since'];

function namesIn(args: unknown): Readonly<Record<string, string>> {
  if (!isObject(args)) return {};
  return Object.fromEntries(RECORDED.flatMap((name) => (typeof args[name] === 'string' ? [[name, args[name]]] : [])));
}
