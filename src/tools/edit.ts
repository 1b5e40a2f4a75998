import { Fault } from '../base/fault.ts';
import type { Files, Located, OpenFile } from '../hosts/files/shape.ts';
import type { Edit } from '../text/edit/clean-edit.ts';
import { splicedSource } from '../text/edit/spliced-source.ts';
import { decodeFile } from '../text/edit/decoded-file.ts';
import { bytesSource } from '../text/scan/source.ts';
import { TOOL_NAMES } from '../wire/tool-names.ts';
import { refuseAborted } from './abort.ts';
import { BIG, type Draft, draftEdits } from './edit/draft.ts';
import { KEPT, type Stale, staleDetails, staleness, staleNote } from './edit/freshness.ts';
import { presentFile } from './edit/present.ts';
import { recordedEdits } from './edit/proof.ts';
import { recoveredDetails, writeOrRecover } from './edit/recovery.ts';
import { type EditRequest, INPUT, PATH_ALIASES, prepareEdits, readRequest, TEXT_ALIASES } from './edit/request.ts';
import { refuseMarks } from './secrets/marks.ts';
import { hiddenPart, withoutLines } from './secrets/secrets.ts';
import { defineTool, type ReadMemory, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** The agent tool `edit`: replaces text that stands in a file, all of the edits or none. */
export const editTool = defineTool({
  name: 'edit',
  alsoCalled: TOOL_NAMES.edit,
  description:
    'Replace text in a file. oldText must stand in the file exactly once (or set replaceAll); everything else in the file stays byte for byte. ' +
    'Several edits of one file go into edits: they are all made against the original, all or none, and may not overlap.',
  input: INPUT,
  aliases: [PATH_ALIASES, ...TEXT_ALIASES],
  effects: 'writes',
  prepare: prepareEdits,
  run: async (input, context) => edit(readRequest(input), context),
});

/** What became of a file, beside the draft. */
interface Edited {
  readonly draft: Draft;
  readonly stale: Stale | undefined;
  /** The file holds secrets that this agent is not shown. */
  readonly hidden: boolean;
  readonly recovered?: Fault | undefined;
}

async function edit(request: EditRequest, context: ToolContext): Promise<ToolResult> {
  const { files, reads } = context;
  const { located, size } = look(files, request.path);
  const name = files.nameOf(located);
  // Loading is not synchronous and must be done before the file is locked.
  const big = size >= BIG ? await import('../text/edit/big-file.ts') : undefined;
  const work = (file: OpenFile, isRecorded?: (edit: Edit) => boolean): Edited => {
    const part = hiddenPart([located.path, request.path], file, context);
    const hidden = part !== undefined;
    const stale = staleness({ expectHash: request.expectHash, reads }, presentFile(files, file, name, hidden));
    const wantHash = reads?.recall(located.path) !== undefined;
    let draft: Draft;
    try {
      draft = draftEdits(file, name, request.edits, big, wantHash ? files : undefined, isRecorded);
    } catch (error) {
      throw hidden ? withoutLines(error, name) : error;
    }
    if (hidden && draft.content !== undefined)
      refuseMarks(name, part, decodeFile(file.readAll()).text, decodeFile(draft.content).text);
    return { stale, hidden, draft };
  };
  const done = (edited: Edited): ToolResult => answer(name, request, files, edited, hashOfDraft(files, edited.draft));
  try {
    if (request.dryRun) return done(await show(located, work, files));
    return done(await make(located, work, context));
  } catch (error) {
    if (!(error instanceof Fault) || !mayBeRecorded(error)) throw error;
    const isRecorded = recordedEdits(await files.changes(), located, name, request.edits);
    const found = withOpen(files, located, (file) => work(file, isRecorded));
    // Somebody may have changed the file in between: what could be made now was not asked for now.
    if (found.draft.appliedAt === undefined) throw error;
    return done(found);
  }
}

/** Whether the new text stands in the file, so that a record could say that this edit was made before. */
function mayBeRecorded({ code, details }: Fault): boolean {
  return code === 'EDIT_NOT_FOUND' && details?.['newTextAt'] !== undefined;
}

/** What the edits would do; an edit that would be refused is refused here, too. */
async function show(located: Located, work: (file: OpenFile) => Edited, files: Files): Promise<Edited> {
  const edited = withOpen(files, located, work);
  if (edited.draft.splices.length > 0) (await files.writer('edit')).refuseProtected([located]);
  return edited;
}

/** Makes the edits while nobody else writes. */
async function make(located: Located, work: (file: OpenFile) => Edited, context: ToolContext): Promise<Edited> {
  const { files, signal, reads } = context;
  const writer = await files.writer('edit');
  refuseAborted(signal);
  return writer.exclusively([located], () =>
    withOpen(files, located, (file) => {
      const drafted = work(file);
      const { splices, content } = drafted.draft;
      if (splices.length === 0) {
        remember(files, reads, located, drafted);
        return drafted;
      }
      const meant =
        content === undefined
          ? { content: splicedSource(file, splices), from: file }
          : { content: bytesSource(content) };
      const write = (): void => void writer.replace(file, splices);
      const recovered = writeOrRecover(files, located, meant, write);
      remember(files, reads, located, drafted);
      return { ...drafted, recovered };
    }),
  );
}

function answer(
  name: string,
  { edits, dryRun }: EditRequest,
  files: Files,
  { draft, stale, hidden, recovered }: Edited,
  hash: string | undefined,
): ToolResult {
  const { levels, places, diff, firstChangedLine, encoding, appliedAt, splices } = draft;
  const changed = splices.length > 0;
  const details = {
    path: name,
    workspaceOnly: files.workspaceOnly,
    changed,
    edits: edits.length,
    ...(levels.length === 0 ? {} : { match: levels.length === 1 ? levels[0] : levels }),
    ...(edits.some(({ replaceAll }) => replaceAll) ? { replaced: places } : {}),
    ...(firstChangedLine === undefined ? {} : { firstChangedLine }),
    ...(diff === '' || hidden ? {} : { diff }),
    ...(hash === undefined || hidden ? {} : { hash }),
    ...(encoding === 'utf-8' ? {} : { encoding }),
    ...(dryRun ? { dryRun: true } : {}),
    ...(appliedAt === undefined ? {} : { alreadyApplied: true, appliedAt }),
    ...staleDetails(stale),
    ...recoveredDetails(recovered),
  };
  const notes = [
    ...(stale === undefined ? [] : [staleNote(stale, KEPT)]),
    ...(recovered === undefined ? [] : [`Note: the new content stands, although ${recovered.message}.`]),
  ];
  return {
    content: [headline(name, dryRun, changed, appliedAt), ...notes].map((text) => ({ type: 'text', text })),
    details,
  };
}

/** Notes what this agent knows now, while the file is still locked: later, somebody else's note could be newer. */
function remember(files: Files, reads: ReadMemory | undefined, located: Located, { draft, hidden }: Edited): void {
  if (reads === undefined) return;
  const known = hashOfDraft(files, draft);
  if (known !== undefined) reads.remember(located.path, known, hidden ? undefined : draft.content);
}

/** The hash of what a draft makes of the file, where that is known without reading a large one again. */
function hashOfDraft(files: Files, { content, hash }: Draft): string | undefined {
  return content === undefined ? hash : files.hashOf(content);
}

function headline(name: string, dryRun: boolean, changed: boolean, appliedAt: readonly number[] | undefined): string {
  const done = dryRun ? `Would edit ${name}` : `Successfully edited ${name}`;
  if (appliedAt !== undefined) {
    const lines = `${appliedAt.length === 1 ? 'line' : 'lines'} ${appliedAt.join(', ')}`;
    return `${done} (already applied: the new text stands at ${lines} and the old one is gone; nothing was changed)`;
  }
  return changed ? done : `${done} (no changes: the new text is the old one)`;
}

function look(files: Files, path: string): { readonly located: Located; readonly size: number } {
  const file = files.openPath(path);
  try {
    return { located: file.located, size: file.size };
  } finally {
    file.close();
  }
}

function withOpen<T>(files: Files, located: Located, work: (file: OpenFile) => T): T {
  const file = files.open(located);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
