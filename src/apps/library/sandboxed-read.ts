/** The tool `read` over files behind a bridge, with the parameters of OpenClaw's factory. */
import { Fault } from '../../base/fault.ts';
import { media } from '../../hosts/media/media.ts';
import { callTool, faultResult } from '../../tools/call.ts';
import { readParams } from '../../tools/params.ts';
import { readTool } from '../../tools/read.ts';
import { inputSchema, type ToolContext } from '../../tools/tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import type { ImageLimits } from '../assemble.ts';
import { type AgentTool, throwIfFailed } from './agent-tool.ts';
import { bridgeFiles, type SandboxBridge } from './bridge-files.ts';

export interface SandboxedReadOptions
  extends Pick<ToolContext, 'modelContextWindowTokens' | 'showSecrets' | 'secrets'> {
  /** Absolute folder behind the bridge: relative paths start there, and the tool is confined to it. */
  readonly root: string;
  readonly bridge: SandboxBridge;
  readonly imageSanitization?: Partial<ImageLimits>;
}

/** The tool `sandboxed_read`: reads a file below the root through the bridge. */
export function createSandboxedReadTool(options: SandboxedReadOptions): AgentTool {
  const { root, bridge, imageSanitization, ...view } = options;
  if (typeof root !== 'string' || !root.startsWith('/'))
    throw new Fault('PARAM_INVALID', 'createSandboxedReadTool: root must be an absolute path');
  if (typeof bridge?.readFile !== 'function' || typeof bridge.stat !== 'function')
    throw new Fault('PARAM_INVALID', 'createSandboxedReadTool: bridge must have readFile and stat');
  const folder = root.replace(/(?<=.)\/+$/u, '');
  const prepare = (args: unknown): Readonly<Record<string, unknown>> => {
    if (typeof args !== 'object' || args === null || Array.isArray(args))
      throw new Fault('PARAM_INVALID', `${NAME}: the parameters must be an object`);
    return readParams(NAME, readTool.input, readTool.aliases ?? [], args as Readonly<Record<string, unknown>>);
  };
  const call = async (args: unknown, signal: AbortSignal | undefined): Promise<ToolResult> => {
    try {
      const params = prepare(args);
      const files = await bridgeFiles(bridge, folder, params['path'] as string);
      const stop = signal === undefined ? {} : { signal };
      return await callTool([readTool], 'read', params, {
        ...view,
        ...stop,
        files,
        media: async () => media(imageSanitization),
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return faultResult(error);
    }
  };
  return {
    name: NAME,
    label: NAME,
    description: readTool.description,
    parameters: inputSchema(readTool),
    prepareArguments: prepare,
    async execute(_, params, signal) {
      const result = throwIfFailed(await call(params, signal));
      return { ...result, details: { ...result.details, sandbox: true } };
    },
  };
}

const NAME = 'sandboxed_read';
