/**
 * Judges a file that a client's tool reads or writes, by the rules of pincer's own file tools. The client opens the file
 * itself after the answer, so a link that is replaced in between is not visible here.
 */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { toolsConfigOf } from '../../config/exec-settings.ts';
import { homeFolder, stateFolder } from '../../config/state.ts';
import { isToolAllowed } from '../../config/tool-policy.ts';
import { type FilesOptions, type LocalFiles, localFiles } from '../../hosts/files/files.ts';
import type { OpenFile, LocatedEntry } from '../../hosts/files/shape.ts';
import { shownText } from '../../policy/explain.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { MOST_REDACTED, tooLargeToSearch } from '../../tools/read/too-large.ts';
import { refuseMarks } from '../../tools/secrets/marks.ts';
import type { HiddenPart } from '../../tools/secrets/redact.ts';
import { hiddenPart, hidesName, secretFile, showsKeys } from '../../tools/secrets/secrets.ts';
import { askOrDeny, type DecisionContext, type HookAnswer } from './client.ts';
import type { NewContent, Subject } from './subject.ts';

/** Faults that no person can approve: no setting gives access to these files. */
const NOT_APPROVABLE: ReadonlySet<string> = new Set(['FS_PROTECTED', 'EDIT_MARKS']);

/** An answer if the rules refuse; otherwise the client decides by its own rules. */
export async function decideFiles(
  subject: Subject & { readonly does: 'read' | 'write' },
  context: DecisionContext,
): Promise<HookAnswer | undefined> {
  const { question, agent, loaded } = context;
  const tool = subject.does;
  if (!isToolAllowed(toolsConfigOf(loaded, agent), tool))
    return { decision: 'deny', reason: `pincer: the configuration does not let this agent ${tool} files` };
  try {
    await (subject.does === 'read' ? refuseRead(subject.path, context) : refuseWrites(subject, context));
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const reason = shownText(`pincer: ${code}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
    return NOT_APPROVABLE.has(code) ? { decision: 'deny', reason } : askOrDeny(reason, question);
  }
}

async function refuseWrites(
  { paths, content }: Subject & { readonly does: 'write' },
  context: DecisionContext,
): Promise<void> {
  const { fs } = toolsConfigOf(context.loaded, context.agent);
  const options = { workspaceOnly: fs?.workspaceOnly ?? true, hardLinks: 'refuse' } as const;
  await withFiles(context, options, async (files) => {
    const writer = await files.writer('hook');
    const places: { readonly path: string; readonly place: LocatedEntry }[] = [];
    let fault: unknown;
    for (const path of paths) {
      try {
        places.push({ path, place: files.placeOf(pathIn(context, path)) });
      } catch (error) {
        fault ??= error; // a person may approve it; a protected path in the same call must be refused first
      }
    }
    writer.refuseProtected(places.map(({ place }) => place.file));
    if (fault !== undefined) throw fault;
    // Read content only after all paths have passed: a large file must not delay the refusal of a later path.
    for (const { path, place } of places) {
      const open = openAt(files, place);
      try {
        if (content !== undefined)
          refuseMarksIn(files.nameOf(place.file), contentOf(open, place, path, context), content);
      } finally {
        open?.close();
      }
    }
  });
}

function refuseMarksIn(name: string, { part, text }: Content, content: NewContent): void {
  if (part !== undefined) refuseMarks(name, part, text, nextText(text, content));
}

/** The client decides which files may be read. Files whose values pincer's tools hide are refused. */
async function refuseRead(path: string, context: DecisionContext): Promise<void> {
  await withFiles(context, { workspaceOnly: false, hardLinks: 'refuse-writes' }, async (files) => {
    const place = files.placeOf(pathIn(context, path));
    if (place.type !== 'file') return;
    const open = files.open(place.file);
    try {
      if (contentOf(open, place, path, context).part !== undefined) throw secretFile(path);
    } finally {
      open.close();
    }
  });
}

async function withFiles(
  { question, env }: DecisionContext,
  options: Pick<FilesOptions, 'workspaceOnly' | 'hardLinks'>,
  work: (files: LocalFiles) => Promise<void>,
): Promise<void> {
  const files = localFiles({ cwd: question.project, stateDir: stateFolder(env), home: homeFolder(env), ...options });
  try {
    await work(files);
  } finally {
    files.close();
  }
}

/** Clients expand a leading `~` differently; only an absolute path is unambiguous. */
function pathIn({ question }: DecisionContext, path: string): string {
  if (!path.startsWith('~')) return resolve(question.cwd, path);
  throw new Fault('FS_NAME_INVALID', `${JSON.stringify(path)} is ambiguous: it begins with ~`, {
    hint: 'use the absolute path',
  });
}

interface Content {
  /** The part that pincer's tools would hide. */
  readonly part: HiddenPart | undefined;
  /** Read only if a part is hidden. */
  readonly text: string | undefined;
}

/** The file at a place, if there is one. Refuses special files and files with several hard links. */
function openAt(files: LocalFiles, { file, type }: LocatedEntry): OpenFile | undefined {
  if (type === 'nothing') return undefined;
  return type === 'file' ? files.open(file) : files.openPath(file.path);
}

/** Refuses a file that is too large to search. */
function contentOf(
  open: OpenFile | undefined,
  { file }: LocatedEntry,
  path: string,
  { loaded, agent }: DecisionContext,
): Content {
  const secrets = toolsConfigOf(loaded, agent).fs?.secrets;
  const view = secrets === undefined ? {} : { secrets };
  const names = [file.path, path];
  if (open === undefined) return { part: hidesName(names, view) ? 'values' : undefined, text: undefined };
  if (open.size > MOST_REDACTED && !showsKeys(names, view)) throw tooLargeToSearch(path, open.size);
  const part = hiddenPart(names, open, view);
  return { part, text: part === undefined ? undefined : decodeText(open.readAll()) };
}

function nextText(old: string | undefined, content: NewContent): string {
  if ('whole' in content) return content.whole;
  return content.replacements.reduce(
    (text, { old: from, next, all }) => (all ? text.replaceAll(from, () => next) : text.replace(from, () => next)),
    old ?? '',
  );
}
