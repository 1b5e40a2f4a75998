/** The file tools with the files that are seen inside: the same bodies as on any machine. */
import { Fault } from '../base/fault.ts';
import { messageOf } from '../base/message-of.ts';
import { applyPatchTool } from '../tools/apply-patch.ts';
import { callTool, faultResult } from '../tools/call.ts';
import { changesTool } from '../tools/changes.ts';
import { editTool } from '../tools/edit.ts';
import { pathTool } from '../tools/path.ts';
import { readTool } from '../tools/read.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { writeTool } from '../tools/write.ts';
import { DEFAULT_AGENT } from '../wire/actor.ts';
import { UNKNOWN_CLIENT } from '../wire/client-name.ts';
import { closesWhenUnused, type Use } from '../hosts/files/close-when-unused.ts';
import { type FilesOptions, localFiles } from '../hosts/files/files.ts';
import { readMemory } from '../hosts/files/reads.ts';
import type { Author, Files } from '../hosts/files/shape.ts';
import { media } from '../hosts/media/media.ts';
import type { InsidePlaces } from '../hosts/sandbox/link/messages.ts';
import type { ToolCall, ToolCallContext, ToolResult } from '../wire/tool.ts';

const TOOLS: readonly Tool[] = [readTool, writeTool, editTool, applyPatchTool, pathTool, changesTool];
/** Conversations come and go; what is not kept is made again. */
const MOST_FILES = 32;

/** Files with the calls that use them. */
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

  /** Always an answer: what a tool cannot do, and what nobody foresaw, are results with `isError`. */
  async call({ tool, args, context }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    try {
      const { files, use } = this.#filesFor(context);
      return await use.during(async () => {
        if (files.hasLeftovers()) (await files.writer('recover')).recover();
        return callTool(TOOLS, tool, args, this.#contextOf(context, files, signal));
      });
    } catch (error) {
      if (error instanceof Fault) return faultResult(error);
      return faultResult(new Fault('INTERNAL_ERROR', messageOf(error)));
    }
  }

  #contextOf(context: ToolCallContext, files: Files, signal: AbortSignal): ToolContext {
    const { modelContextWindowTokens, showSecrets, secrets, staleCheck = 'advise', imageLimits } = context;
    const { stateDir } = this.#places;
    const reads =
      staleCheck === 'off'
        ? undefined
        : readMemory({ stateDir, workspace: files.workspace, reader: authorOf(context), onStale: staleCheck });
    return {
      files,
      signal,
      media: async () => media(imageLimits),
      ...(modelContextWindowTokens === undefined ? {} : { modelContextWindowTokens }),
      ...(reads === undefined ? {} : { reads }),
      ...(showSecrets === undefined ? {} : { showSecrets }),
      ...(secrets === undefined ? {} : { secrets }),
    };
  }

  /** The workspace is pinned once for each way of using it. */
  #filesFor(context: ToolCallContext): Kept {
    const { hardLinks = 'refuse', protect, durable, workspaceOnly = true } = context;
    const author = authorOf(context);
    const key = JSON.stringify([author, hardLinks, protect, durable, workspaceOnly]);
    const known = this.#files.get(key);
    if (known !== undefined) return known;
    const { workspace, stateDir, home } = this.#places;
    const options: FilesOptions = {
      cwd: workspace,
      stateDir,
      home,
      author,
      hardLinks,
      workspaceOnly,
      searchAhead: true,
      ...(protect === undefined ? {} : { protect }),
      ...(durable === undefined ? {} : { durable }),
    };
    const files = localFiles(options);
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

/** Who calls; the gateway has checked the names. */
function authorOf({ agent = DEFAULT_AGENT, client = UNKNOWN_CLIENT, conversation }: ToolCallContext): Author {
  return { agent, client, ...(conversation === undefined ? {} : { conversation }) };
}
