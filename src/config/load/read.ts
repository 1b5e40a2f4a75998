/** One file of configuration: its text, its value, and what is wrong in it. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { isBelow } from '../../base/inside.ts';
import { Fault } from '../../base/fault.ts';
import { decodeText } from '../../text/lines/bytes.ts';
import { whyNeverSafe } from '../../policy/safe-bins.ts';
import { merge } from '../schema/merge.ts';
import type { ConfigSource } from '../places.ts';
import { type ConfigFile, configFile } from '../schema/schema.ts';
import { mismatchText, type Step } from '../../wire/mismatch.ts';
import { TOOL_NAMES, toolNamed } from '../../wire/tool-names.ts';
import { nearestNames } from '../../text/nearest-names.ts';
import { below, formatSettingPath } from '../schema/setting-path.ts';
import { nearestMember } from '../schema/settings.ts';
import { json5Reader, type ReadJson5 } from './source/json5.ts';

/** Something to say about a file; what a warning speaks of has no effect. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  /** The setting, in the form of `pincer config get`; empty for the file itself. */
  readonly at: string;
  readonly message: string;
}

/** Nobody writes so much by hand, and it is read for every command. */
const LONGEST = 1024 * 1024;

/** The most unknown settings reported one by one; a hostile file may have thousands. */
const MOST_UNKNOWN = 50;

/**
 * The text of a file; undefined when there is none. The file of a project may be a link only within its folder: what is said about
 * it would tell an agent that put the link there what stands in files of this machine.
 */
export function readText(path: string, layer?: ConfigSource['layer']): string | undefined {
  let fd: number | undefined;
  try {
    // A pipe that somebody put there would never open.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(fd);
    if (!status.isFile()) return undefined;
    if (layer === 'project' && leavesFolder(path, fd)) throw linkedAway(path);
    if (status.size > LONGEST) throw tooLong(path, status.size);
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

/** Looks at what was opened, where the system tells: the path may mean another file by now. */
function leavesFolder(path: string, fd: number): boolean {
  const opened = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${fd}`) : realpathSync(path);
  const folder = realpathSync(dirname(path));
  return !isBelow(opened, folder, sep);
}

function linkedAway(path: string): Fault {
  return new Fault('CONFIG_UNREADABLE', `${path} is a link that leads out of its folder`, {
    hint: 'put the file itself there, or remove the link',
    details: { path },
  });
}

function tooLong(path: string, size: number): Fault {
  return new Fault('CONFIG_UNREADABLE', `${path} has ${size} bytes, and ${LONGEST} are the most that are read`, {
    hint: 'look at what stands in it',
    details: { path, size },
  });
}

/** The value of a text. */
export async function parseText(text: string, path: string): Promise<unknown> {
  return parseWith(await json5Reader(), text, path);
}

/** The value of a text, by a reader of JSON5 that is there already. */
export function parseWith(parse: ReadJson5, text: string, path: string): unknown {
  try {
    return parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    const { lineNumber, columnNumber, message } = error as {
      lineNumber?: number;
      columnNumber?: number;
      message: string;
    };
    const place = lineNumber === undefined ? '' : `:${lineNumber}:${columnNumber}`;
    throw new Fault('CONFIG_SYNTAX', `${path}${place} is no JSON with comments: ${message.replace(/^JSON5: /u, '')}`, {
      hint: 'correct the file; until then no command is judged by a guess',
      details: { path, line: lineNumber, column: columnNumber },
      cause: error,
    });
  }
}

/** What a value says, as far as it fits, and what does not. */
export function checkValue(value: unknown): { readonly said: ConfigFile; readonly diagnostics: readonly Diagnostic[] } {
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
    diagnostics.push({ severity: 'warning', at: '', message: `says ${unknown - MOST_UNKNOWN} more unknown settings` });
  const { exec, ...said } = checked ?? {};
  // The specification speaks of `exec.node` too; there is one place for it.
  const whole = exec === undefined ? said : (merge({ tools: { exec } }, said) as ConfigFile);
  return {
    said: whole,
    diagnostics: [...diagnostics, ...aboutAgents(whole), ...aboutTools(whole), ...aboutSafeBins(whole)],
  };
}

function unknownText(at: string, known: readonly string[]): string {
  const near = nearestMember(at, known);
  const instead = near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}`;
  return `has the unknown setting ${at}; ${instead}`;
}

/** Members of a record may have any other name. */
export function forbiddenName(place: string): string {
  return `${place} is a name that no member may have`;
}

/** An entry without an id holds for nobody, and of two with the same id one is not read. */
function aboutAgents({ agents }: ConfigFile): readonly Diagnostic[] {
  const seen = new Set<string>();
  return (agents?.list ?? []).flatMap(({ id }, i): readonly Diagnostic[] => {
    const at = `agents.list[${i}]`;
    if (id === undefined)
      return [{ severity: 'warning', at, message: `says ${at} without an id; it holds for no agent` }];
    if (seen.has(id))
      return [
        { severity: 'warning', at, message: `says ${at} with the id ${JSON.stringify(id)} again; the first holds` },
      ];
    seen.add(id);
    return [];
  });
}

/** A name that no tool has denies nothing: whoever mistyped it should hear that. Other programs have tools that we do not. */
function aboutTools({ tools, agents }: ConfigFile): readonly Diagnostic[] {
  const lists = [
    ['tools', tools] as const,
    ...(agents?.list ?? []).map(({ tools: own }, i) => [`agents.list[${i}].tools`, own] as const),
  ].flatMap(([at, said]) => [[`${at}.allow`, said?.allow ?? []] as const, [`${at}.deny`, said?.deny ?? []] as const]);
  return lists.flatMap(([at, names]) =>
    names.flatMap((name, i): readonly Diagnostic[] => {
      if (name === '*' || toolNamed(name) !== undefined) return [];
      const [near] = nearestNames(name, Object.keys(TOOL_NAMES));
      const instead = near === undefined ? '' : `; did you mean ${near}`;
      const place = `${at}[${i}]`;
      return [
        {
          severity: 'warning',
          at: place,
          message: `says ${place} ${JSON.stringify(name)}, which is no tool${instead}`,
        },
      ];
    }),
  );
}

/** A name that can never be a safe bin lets nothing pass. */
function aboutSafeBins({ tools, agents }: ConfigFile): readonly Diagnostic[] {
  const own = (agents?.list ?? []).map(({ tools: said }, i) => [`agents.list[${i}].tools.exec`, said?.exec] as const);
  return [['tools.exec', tools?.exec] as const, ...own].flatMap(([at, exec]) =>
    (exec?.safeBins ?? []).flatMap((name, i): readonly Diagnostic[] => {
      const profiles = { ...tools?.exec?.safeBinProfiles, ...exec?.safeBinProfiles };
      const why = whyNeverSafe(name, Object.hasOwn(profiles, name));
      const place = `${at}.safeBins[${i}]`;
      return why === undefined
        ? []
        : [
            {
              severity: 'warning',
              at: place,
              message: `says ${place} ${JSON.stringify(name)}, which has no effect: ${why}`,
            },
          ];
    }),
  );
}
