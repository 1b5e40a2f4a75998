/** Reads, parses and checks one configuration file. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isBelow } from '../../base/inside.ts';
import { Fault } from '../../base/fault.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { whyUnused } from '../../policy/grammar/operator-profile.ts';
import { whyNeverSafe } from '../../policy/safe-bins.ts';
import { merge } from '../schema/merge.ts';
import type { ConfigSource } from '../config-files.ts';
import { type ConfigFile, configFile } from '../schema/schema.ts';
import { mismatchText, type Step } from '../../wire/mismatch.ts';
import { TOOL_NAMES, toolNamed } from '../../wire/tool-names.ts';
import { nearestNames } from '../../text/nearest-names.ts';
import { below, formatSettingPath } from '../schema/setting-path.ts';
import { nearestMember } from '../schema/settings.ts';
import { loadJson5Parser, type ParseJson5 } from './source/json5.ts';

/** A warning is about a setting without effect. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  /** The setting, in the form of `pincer config get`; empty for the file itself. */
  readonly at: string;
  readonly message: string;
}

/** A file by hand is shorter, and every command reads it. */
const MAX_BYTES = 1024 * 1024;

/** The most unknown settings reported individually; a hostile file may have thousands. */
const MOST_UNKNOWN = 50;

/**
 * Returns undefined when there is no file. A project's file may be a symlink only within its folder: otherwise diagnostics would
 * disclose other files of this machine to an agent that created the symlink.
 */
export function readText(path: string, layer?: ConfigSource['layer']): string | undefined {
  let fd: number | undefined;
  try {
    // Opening a named pipe would block.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(fd);
    if (!status.isFile()) return undefined;
    if (layer === 'project' && leavesFolder(path, fd))
      throw new Fault('CONFIG_UNREADABLE', `${path} is a symlink to a file outside its folder`, {
        hint: 'replace the symlink with a file, or remove it',
        details: { path },
      });
    if (status.size > MAX_BYTES)
      throw new Fault('CONFIG_UNREADABLE', `${path} has ${status.size} bytes; the limit is ${MAX_BYTES}`, {
        hint: 'shorten the file, or remove it',
        details: { path, size: status.size },
      });
    return decodeText(readFileSync(fd));
  } catch (error) {
    if (error instanceof Fault) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return undefined;
    throw new Fault('CONFIG_UNREADABLE', `${path} cannot be read (${code})`, {
      hint: 'make it readable for this user, or remove it',
      details: { path },
      cause: error,
    });
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Checks the open file where the system allows it: the path may name another file by now. */
function leavesFolder(path: string, fd: number): boolean {
  const opened = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
  const folder = realpathSync(dirname(path));
  return !isBelow(opened, folder, sep);
}

export async function parseText(text: string, path: string): Promise<unknown> {
  return parseWith(await loadJson5Parser(), text, path);
}

export function parseWith(parse: ParseJson5, text: string, path: string): unknown {
  try {
    return parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const { lineNumber, columnNumber, message } = error as {
      lineNumber?: number;
      columnNumber?: number;
      message: string;
    };
    const place = lineNumber === undefined ? '' : `:${lineNumber}:${columnNumber}`;
    throw new Fault('CONFIG_SYNTAX', `${path}${place}: syntax error: ${message.replace(/^JSON5: /u, '')}`, {
      hint: 'correct the file; commands are refused until then',
      details: { path, line: lineNumber, column: columnNumber },
      cause: error,
    });
  }
}

/** Returns the valid settings of a parsed file, and diagnostics about the others. */
export function checkValue(value: unknown): {
  readonly values: ConfigFile;
  readonly diagnostics: readonly Diagnostic[];
} {
  const diagnostics: Diagnostic[] = [];
  let unknown = 0;
  const steps: Step[] = [];
  const checked = configFile.read(value, {
    at: steps,
    wrong(expected, found) {
      const at = formatSettingPath(steps);
      diagnostics.push({ severity: 'error', at, message: mismatchText(at === '' ? 'the file' : at, expected, found) });
    },
    unknown(name, known) {
      const at = below(formatSettingPath(steps), name);
      if (known.length === 0) diagnostics.push({ severity: 'error', at, message: forbiddenName(at) });
      else if (++unknown <= MOST_UNKNOWN)
        diagnostics.push({ severity: 'warning', at, message: unknownText(at, known) });
    },
  });
  if (unknown > MOST_UNKNOWN)
    diagnostics.push({ severity: 'warning', at: '', message: `${unknown - MOST_UNKNOWN} more unknown settings` });
  const { exec, ...rest } = checked ?? {};
  // The specification also calls it `exec.node`.
  const values = exec === undefined ? rest : (merge({ tools: { exec } }, rest) as ConfigFile);
  return {
    values,
    diagnostics: [
      ...diagnostics,
      ...checkAgents(values),
      ...checkTools(values),
      ...checkSafeBins(values),
      ...checkProfiles(values),
    ],
  };
}

function unknownText(at: string, known: readonly string[]): string {
  const near = nearestMember(at, known);
  const instead = near === undefined ? `settings: ${known.join(', ')}` : `did you mean ${near}`;
  return `unknown setting ${at}; ${instead}`;
}

export function forbiddenName(place: string): string {
  return `${place} is a forbidden name`;
}

/** An entry without an id applies to no agent, and of two entries with the same id only the first counts. */
function checkAgents({ agents }: ConfigFile): readonly Diagnostic[] {
  const seen = new Set<string>();
  return (agents?.list ?? []).flatMap(({ id }, i): readonly Diagnostic[] => {
    const at = `agents.list[${i}]`;
    if (id === undefined) return [{ severity: 'warning', at, message: `${at} has no effect: it has no id` }];
    if (seen.has(id)) {
      const message = `${at} has no effect: an earlier entry has the id ${JSON.stringify(id)}`;
      return [{ severity: 'warning', at, message }];
    }
    seen.add(id);
    return [];
  });
}

/** A mistyped name denies nothing. It is only a warning, since other programs with this file format have other tools. */
function checkTools({ tools, agents }: ConfigFile): readonly Diagnostic[] {
  const lists = [
    ['tools', tools] as const,
    ...(agents?.list ?? []).map(({ tools: own }, i) => [`agents.list[${i}].tools`, own] as const),
  ].flatMap(([at, own]) => [[`${at}.allow`, own?.allow ?? []] as const, [`${at}.deny`, own?.deny ?? []] as const]);
  return lists.flatMap(([at, names]) =>
    names.flatMap((name, i): readonly Diagnostic[] => {
      if (name === '*' || toolNamed(name) !== undefined) return [];
      const [near] = nearestNames(name, Object.keys(TOOL_NAMES));
      const instead = near === undefined ? '' : `; did you mean ${near}`;
      const place = `${at}[${i}]`;
      return [
        { severity: 'warning', at: place, message: `unknown tool ${JSON.stringify(name)} in ${place}${instead}` },
      ];
    }),
  );
}

function checkSafeBins({ tools, agents }: ConfigFile): readonly Diagnostic[] {
  const perAgent = (agents?.list ?? []).map(
    ({ tools: own }, i) => [`agents.list[${i}].tools.exec`, own?.exec] as const,
  );
  return [['tools.exec', tools?.exec] as const, ...perAgent].flatMap(([at, exec]) =>
    (exec?.safeBins ?? []).flatMap((name, i): readonly Diagnostic[] => {
      const profiles = { ...tools?.exec?.safeBinProfiles, ...exec?.safeBinProfiles };
      const why = whyNeverSafe(name, Object.hasOwn(profiles, name));
      if (why === undefined) return [];
      const place = `${at}.safeBins[${i}]`;
      return [{ severity: 'warning', at: place, message: `${place} ${JSON.stringify(name)} has no effect: ${why}` }];
    }),
  );
}

/** A profile that is not used is ignored, so the calls of its program ask. */
function checkProfiles({ tools, agents }: ConfigFile): readonly Diagnostic[] {
  const perAgent = (agents?.list ?? []).map(
    ({ tools: own }, i) => [`agents.list[${i}].tools.exec`, own?.exec] as const,
  );
  return [['tools.exec', tools?.exec] as const, ...perAgent].flatMap(([at, exec]) =>
    Object.entries(exec?.profiles ?? {}).flatMap(([name, profile]): readonly Diagnostic[] => {
      const why = whyUnused(name, profile);
      const place = below(`${at}.profiles`, name);
      return why === undefined ? [] : [{ severity: 'warning', at: place, message: `${place} has no effect: ${why}` }];
    }),
  );
}
