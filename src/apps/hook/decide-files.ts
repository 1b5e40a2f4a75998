/**
 * A file that a tool of the client reads or writes, by the rules of our own file tools. The client opens the file itself after
 * the answer, so a link that is exchanged in between is out of sight.
 */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { toolsConfigOf } from '../../config/exec-settings.ts';
import { homeFolder, stateFolder } from '../../config/state.ts';
import { isToolAllowed } from '../../config/tool-policy.ts';
import { type FilesOptions, type LocalFiles, localFiles } from '../../hosts/files/files.ts';
import type { OpenFile, Place } from '../../hosts/files/shape.ts';
import { shownText } from '../../policy/explain.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { MOST_REDACTED, tooLargeToSearch } from '../../tools/read/too-large.ts';
import { refuseMarks } from '../../tools/secrets/marks.ts';
import type { HiddenPart } from '../../tools/secrets/redact.ts';
import { hiddenPart, hidesName, secretFile, showsKeys } from '../../tools/secrets/secrets.ts';
import { asked, type HookAnswer } from './client.ts';
import type { Setting } from './setting.ts';
import type { NewContent, Subject } from './subject.ts';

/** Faults that no person at the client can answer: no setting opens what they protect. */
const NEVER: ReadonlySet<string> = new Set(['FS_PROTECTED', 'EDIT_MARKS']);

/** An answer where the rules refuse; a file that they leave open is the client's own business. */
export async function decideFiles(
  subject: Subject & { readonly does: 'read' | 'write' },
  setting: Setting,
): Promise<HookAnswer | undefined> {
  const { question, agent, loaded } = setting;
  const tool = subject.does;
  if (!isToolAllowed(toolsConfigOf(loaded, agent), tool))
    return { decision: 'deny', reason: `pincer: the configuration does not let this agent ${tool} files` };
  try {
    await (subject.does === 'read' ? refuseRead(subject.path, setting) : refuseWrites(subject, setting));
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, hint } = error;
    const reason = shownText(`pincer: ${code}: ${message}${hint === undefined ? '' : `; ${hint}`}`);
    return NEVER.has(code) ? { decision: 'deny', reason } : asked(reason, question);
  }
}

async function refuseWrites({ paths, content }: Subject & { readonly does: 'write' }, setting: Setting): Promise<void> {
  const { fs } = toolsConfigOf(setting.loaded, setting.agent);
  const options = { workspaceOnly: fs?.workspaceOnly ?? true, hardLinks: 'refuse' } as const;
  await withFiles(setting, options, async (files) => {
    const writer = await files.writer('hook');
    const places: { readonly path: string; readonly place: Place }[] = [];
    let fault: unknown;
    for (const path of paths) {
      try {
        places.push({ path, place: files.placeOf(pathIn(setting, path)) });
      } catch (error) {
        fault ??= error; // a person may allow it, which must not cover what nobody may
      }
    }
    writer.refuseProtected(places.map(({ place }) => place.file));
    if (fault !== undefined) throw fault;
    // Content is read after every path has passed: a large file must not delay the refusal of the path behind it.
    for (const { path, place } of places) {
      const open = openAt(files, place);
      try {
        if (content !== undefined)
          refuseMarksIn(files.nameOf(place.file), contentOf(open, place, path, setting), content);
      } finally {
        open?.close();
      }
    }
  });
}

function refuseMarksIn(name: string, { part, text }: Content, content: NewContent): void {
  if (part !== undefined) refuseMarks(name, part, text, nextText(text, content));
}

/** Which files may be read is the client's own rule; those whose values our tools hide are not shown in whole. */
async function refuseRead(path: string, setting: Setting): Promise<void> {
  await withFiles(setting, { workspaceOnly: false, hardLinks: 'refuse-writes' }, async (files) => {
    const place = files.placeOf(pathIn(setting, path));
    if (place.stands !== 'file') return;
    const open = files.open(place.file);
    try {
      if (contentOf(open, place, path, setting).part !== undefined) throw secretFile(path);
    } finally {
      open.close();
    }
  });
}

async function withFiles(
  { question, env }: Setting,
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

/** Clients differ in what they make of a leading `~`; only an absolute path has one meaning. */
function pathIn({ question }: Setting, path: string): string {
  if (!path.startsWith('~')) return resolve(question.cwd, path);
  throw new Fault('FS_NAME_INVALID', `${JSON.stringify(path)} has no one meaning: it begins with ~`, {
    hint: 'name the file by its absolute path',
  });
}

interface Content {
  /** What of it our own tools would hide. */
  readonly part: HiddenPart | undefined;
  /** Read where something is hidden. */
  readonly text: string | undefined;
}

/** The file at a place, if there is one; what is no regular file, or has other names, is refused here. */
function openAt(files: LocalFiles, { file, stands }: Place): OpenFile | undefined {
  if (stands === 'nothing') return undefined;
  return stands === 'file' ? files.open(file) : files.openPath(file.path);
}

/** What is in a file; one that is too large to be looked through is refused. */
function contentOf(open: OpenFile | undefined, { file }: Place, path: string, { loaded, agent }: Setting): Content {
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
