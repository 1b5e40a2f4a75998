/** File tools on a node: which node a call means, and what the gateway sends. The node decides what the tool may do. */
import { Fault } from '../../../base/fault.ts';
import { chooseNode, FILES, type NodeChoice } from '../../../policy/node-choice.ts';
import type { Methods } from '../../../wire/methods.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { FILE_TOOLS, isFileTool } from '../../../wire/tool-names.ts';
import type { PolicyInputs } from '../../host.ts';
import type { NodeFiles } from '../../nodes/node-files.ts';

type ToolParams = Methods['node.tool']['params'];

/** `node` of a call, or the configured one. */
export function chooseFilesNode(
  { settings, nodes, noLinks }: Pick<PolicyInputs, 'settings' | 'nodes' | 'noLinks'>,
  node: string,
): NodeChoice {
  return chooseNode({ call: node }, nodes?.() ?? [], settings.files.nodes, FILES, noLinks?.());
}

export async function callNodeTool(
  { caller, tool, args = {}, context = {}, node: wanted, reads }: ToolParams,
  inputs: Pick<PolicyInputs, 'settings' | 'nodes' | 'noLinks'>,
  files: NodeFiles,
  signal?: AbortSignal,
): Promise<ToolResult> {
  if (!isFileTool(tool))
    throw new Fault('TOOL_UNKNOWN', `there is no file tool ${JSON.stringify(tool)} on a node`, {
      hint: `tools: ${FILE_TOOLS.join(', ')}`,
    });
  const choice = chooseFilesNode(inputs, wanted);
  if ('fault' in choice) throw choice.fault;
  const { id, name } = choice.node;
  const { agent, client, conversation, operator } = caller;
  const { modelContextWindowTokens, staleCheck, secrets } = context;
  const params = {
    tool,
    args,
    caller: {
      agent,
      ...(client === undefined ? {} : { client }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(operator === undefined ? {} : { operator }),
    },
    settings: {
      ...(modelContextWindowTokens === undefined ? {} : { modelContextWindowTokens }),
      ...(staleCheck === undefined ? {} : { staleCheck }),
      ...(secrets?.hide === undefined ? {} : { hide: secrets.hide }),
    },
  };
  return files.call({ node: { id, name }, params, reads: reads === true }, signal);
}
