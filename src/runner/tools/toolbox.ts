/** The file tools inside a sandbox and on a node: the same code as on any machine. */
import { Fault } from '../../base/fault.ts';
import { messageOf } from '../../base/message-of.ts';
import { applyPatchTool } from '../../tools/apply-patch.ts';
import { callTool, faultResult } from '../../tools/call.ts';
import { changesTool } from '../../tools/changes.ts';
import { editTool } from '../../tools/edit.ts';
import { pathTool } from '../../tools/path.ts';
import { readTool } from '../../tools/read.ts';
import type { Tool } from '../../tools/tool.ts';
import { writeTool } from '../../tools/write.ts';
import { DEFAULT_AGENT } from '../../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';
import { closesWhenUnused, type Use } from '../../hosts/files/cache/close-when-unused.ts';
import type { Author, Files } from '../../hosts/files/shape.ts';
import type { InsidePlaces } from '../../hosts/process/runner-messages.ts';
import type { ToolCall, ToolCallContext, ToolResult } from '../../wire/tool.ts';
import { toolContext, toolFiles } from './tool-context.ts';

const TOOLS: readonly Tool[] = [readTool, writeTool, editTool, applyPatchTool, pathTool, changesTool];
/** Cached by conversation; what is dropped is made again. */
const MOST_FILES = 32;

interface Kept {
  readonly files: Files;
  readonly use: Use;
}

export class Toolbox {
  readonly #places: InsidePlaces;
  readonly #files = new Map<string, Kept>();

  constructor(places: InsidePlaces) {
    this.#places = places;
  }

  /** Never rejects: faults and unexpected errors are results with `isError`. */
  async call({ tool, args, context }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    try {
      const { files, use } = this.#filesFor(context);
      return await use.during(async () => {
        if (files.hasLeftovers()) (await files.writer('recover')).recover();
        const { operator, agentPrefix, readOnly } = context;
        const settings = await toolContext(
          { stateDir: this.#places.stateDir, author: authorOf(context) },
          context,
          files,
        );
        return callTool(TOOLS, tool, args, {
          ...settings,
          signal,
          ...(operator === undefined ? {} : { operator }),
          ...(agentPrefix === undefined ? {} : { agentPrefix }),
          ...(readOnly === undefined ? {} : { refuse: refuseChanges }),
        });
      });
    } catch (error) {
      if (error instanceof Fault) return faultResult(error);
      return faultResult(new Fault('INTERNAL_ERROR', messageOf(error)));
    }
  }

  /** Opens the workspace once for each combination of author and settings. */
  #filesFor(context: ToolCallContext): Kept {
    const { hardLinks, protect, durable, workspaceOnly } = context;
    const author = authorOf(context);
    const key = JSON.stringify([author, hardLinks, protect, durable, workspaceOnly]);
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const { workspace, stateDir, home } = this.#places;
    const files = toolFiles({ workspace, stateDir, home, author }, context);
    const [oldest] = this.#files;
    if (this.#files.size >= MOST_FILES && oldest !== undefined) {
      this.#files.delete(oldest[0]);
      oldest[1].use.close();
    }
    const kept = { files, use: closesWhenUnused(() => files.close()) };
    this.#files.set(key, kept);
    return kept;
  }
}

/** A tool declares what a call of it does. */
function refuseChanges(tool: string, effects: Tool['effects']): void {
  if (effects === 'reads') return;
  throw new Fault('NODE_CANNOT', `${tool} would change files, and this node offers its files only for reading`, {
    hint: 'read them, or ask the operator of the node to set node.files to rw',
  });
}

/** The gateway has checked the names. */
function authorOf({ agent = DEFAULT_AGENT, client = UNKNOWN_CLIENT, conversation }: ToolCallContext): Author {
  return { agent, client, ...(conversation === undefined ? {} : { conversation }) };
}
