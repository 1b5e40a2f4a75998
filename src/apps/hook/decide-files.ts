/**
 * A file that a tool of the client reads or writes, by the rules of our own file tools. The client opens the file itself after
 * the answer, so a link that is exchanged in between is out of sight.
 */
import { resolve } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { toolsConfigOf } from '../../config/exec.ts';
import { homeFolder, stateFolder } from '../../config/state.ts';
import { isToolAllowed } from '../../config/tool-policy.ts';
import { type LocalFiles, localFiles } from '../../hosts/files/files.ts';
import type { Place } from '../../hosts/host.ts';
import { shownText } from '../../policy/explain.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { refuseMarks } from '../../tools/secrets/marks.ts';
import { hidesLines, secretFile } from '../../tools/secrets/secrets.ts';
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
  await withFiles(setting, fs?.workspaceOnly ?? true, async (files) => {
    const writer = await files.writer('hook');
    for (const path of paths) {
      const place = files.placeOf(pathIn(setting, path));
      writer.refuseProtected([place.file]);
      const hidden = hidesLines([place.file.path, path], secretsOf(setting));
      const old = place.stands === 'nothing' ? undefined : textOf(files, place, hidden);
      const next = hidden && content !== undefined ? nextText(old, content) : undefined;
      if (next !== undefined) refuseMarks(files.nameOf(place.file), old, next);
    }
  });
}

/** Which files may be read is the client's own rule; those whose values our tools hide are not shown in whole. */
async function refuseRead(path: string, setting: Setting): Promise<void> {
  await withFiles(setting, false, async (files) => {
    const { file } = files.placeOf(pathIn(setting, path));
    if (hidesLines([file.path, path], secretsOf(setting))) throw secretFile(path);
  });
}

function secretsOf({ loaded, agent }: Setting) {
  const { fs } = toolsConfigOf(loaded, agent);
  return fs?.secrets === undefined ? {} : { secrets: fs.secrets };
}

async function withFiles(
  { question, env }: Setting,
  workspaceOnly: boolean,
  work: (files: LocalFiles) => Promise<void>,
): Promise<void> {
  const home = homeFolder(env);
  const files = localFiles({
    cwd: question.project,
    stateDir: stateFolder(env),
    workspaceOnly,
    home,
    hardLinks: 'refuse',
  });
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

/** The text of the file where it is needed; what is no regular file, or has other names, is refused here. */
function textOf(files: LocalFiles, { file, stands }: Place, isNeeded: boolean): string | undefined {
  const open = stands === 'file' ? files.open(file) : files.openPath(file.path);
  try {
    return isNeeded ? decodeText(open.readAll()) : undefined;
  } finally {
    open.close();
  }
}

function nextText(old: string | undefined, content: NewContent): string {
  if ('whole' in content) return content.whole;
  return content.replacements.reduce(
    (text, { old: from, next, all }) => (all ? text.replaceAll(from, () => next) : text.replace(from, () => next)),
    old ?? '',
  );
}
