import { Fault } from '../base/fault.ts';
import type { Files, Located, OpenFile } from '../hosts/files/shape.ts';
import type { Edit } from '../text/edit/clean-edit.ts';
import { splicedSource } from '../text/edit/spliced-source.ts';
import { decodeFile } from '../text/edit/decoded-file.ts';
import { bytesSource } from '../text/scan/source.ts';
import { TOOL_NAMES } from '../wire/tool-names.ts';
import { refuseAborted } from './abort.ts';
import { REPLACES_TEXT, SEVERAL_EDITS } from './descriptions.ts';
import { BIG, type Draft, draftEdits } from './edit/draft.ts';
import { checkStaleness, currentFile, KEPT, type Stale, staleDetails, staleNote } from './edit/staleness.ts';
import { recordedEdits } from './edit/recorded-edits.ts';
import { recoveredDetails, writeOrRecover } from './edit/recovery.ts';
import { type EditRequest, INPUT, PATH_ALIASES, prepareEdits, readRequest, TEXT_ALIASES } from './edit/request.ts';
import { refuseMarks } from './secrets/marks.ts';
import { hiddenPart, withoutLines } from './secrets/secrets.ts';
import { defineTool, type ReadMemory, type ToolContext } from './tool.ts';
import type { ToolResult } from '../wire/tool.ts';

/** The tool `edit`: replaces text in a file, with all edits or none. */
export const editTool = defineTool({
  name: 'edit',
  alsoCalled: TOOL_NAMES.edit,
  description: `${REPLACES_TEXT} ${SEVERAL_EDITS}`,
  input: INPUT,
  aliases: [PATH_ALIASES, ...TEXT_ALIASES],
  effects: 'writes',
  prepare: prepareEdits,
  run: async (input, context) => edit(readRequest(input), context),
});

interface Edited {
  readonly draft: Draft;
  readonly stale: Stale | undefined;
  /** The file contains secrets that this agent may not see. */
  readonly hidden: boolean;
  readonly recovered?: Fault | undefined;
}

async function edit(request: EditRequest, context: ToolContext): Promise<ToolResult> {
  const { files, reads } = context;
  const { located, size } = locate(files, request.path);
  const name = files.nameOf(located);
  // The import is asynchronous, so it must happen before the file is locked.
  const big = size >= BIG ? await import('../text/edit/big-file.ts') : undefined;
  const work = (file: OpenFile, isRecorded?: (edit: Edit) => boolean): Edited => {
    const part = hiddenPart([located.path, request.path], file, context);
    const hidden = part !== undefined;
    const stale = checkStaleness({ expectHash: request.expectHash, reads }, currentFile(files, file, name, hidden));
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
    if (request.dryRun) return done(await preview(located, work, files));
    return done(await apply(located, work, context));
  } catch (error) {
    if (!(error instanceof Fault) || !mayBeRecorded(error)) throw error;
    const isRecorded = recordedEdits(await files.changes(), located, name, request.edits);
    const found = withOpen(files, located, (file) => work(file, isRecorded));
    // Another process may have changed the file meanwhile; an edit that would apply now is not written.
    if (found.draft.appliedAt === undefined) throw error;
    return done(found);
  }
}

/** The file contains the new text, so the record may show that this edit was already applied. */
function mayBeRecorded({ code, details }: Fault): boolean {
  return code === 'EDIT_NOT_FOUND' && details?.['newTextAt'] !== undefined;
}

/** Refuses what `apply` would refuse. */
async function preview(located: Located, work: (file: OpenFile) => Edited, files: Files): Promise<Edited> {
  const edited = withOpen(files, located, work);
  if (edited.draft.splices.length > 0) (await files.writer('edit')).refuseProtected([located]);
  return edited;
}

async function apply(located: Located, work: (file: OpenFile) => Edited, context: ToolContext): Promise<Edited> {
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
      const intended =
        content === undefined
          ? { content: splicedSource(file, splices), from: file }
          : { content: bytesSource(content) };
      const write = (): void => void writer.replace(file, splices);
      const recovered = writeOrRecover(files, located, intended, write);
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
    ...(recovered === undefined ? [] : [`Note: the new content was written, although ${recovered.message}.`]),
  ];
  return {
    content: [headline(name, dryRun, changed, appliedAt), ...notes].map((text) => ({ type: 'text', text })),
    details,
  };
}

/** Runs while the file is locked: later, another process could already have remembered a newer content. */
function remember(files: Files, reads: ReadMemory | undefined, located: Located, { draft, hidden }: Edited): void {
  if (reads === undefined) return;
  const known = hashOfDraft(files, draft);
  if (known !== undefined) reads.remember(located.path, known, hidden ? undefined : draft.content);
}

/** Undefined where it would require reading a large file again. */
function hashOfDraft(files: Files, { content, hash }: Draft): string | undefined {
  return content === undefined ? hash : files.hashOf(content);
}

function headline(name: string, dryRun: boolean, changed: boolean, appliedAt: readonly number[] | undefined): string {
  const done = dryRun ? `Would edit ${name}` : `Successfully edited ${name}`;
  if (appliedAt !== undefined) {
    const lines = `${appliedAt.length === 1 ? 'line' : 'lines'} ${appliedAt.join(', ')}`;
    return `${done} (already applied: the new text is at ${lines} and the old text is gone; nothing was changed)`;
  }
  return changed ? done : `${done} (no changes: the new text equals the old text)`;
}

function locate(files: Files, path: string): { readonly located: Located; readonly size: number } {
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
