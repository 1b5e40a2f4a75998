/**
 * `pincer policy check --batch`: one command per line in, one verdict per line out, in the same order. Reads neither the
 * configuration nor the approvals file: a line contains everything that decides.
 */
import { isUtf8 } from 'node:buffer';
import { Fault, faultData } from '../../../base/fault.ts';
import { createLookup } from '../../../hosts/process/programs/which.ts';
import { workspaceFor } from '../../../hosts/process/programs/workspace.ts';
import { environmentOf } from '../../../policy/environment.ts';
import { judgeCall } from '../../../policy/judge.ts';
import { whyUnused } from '../../../policy/grammar/operator-profile.ts';
import { Mismatch } from '../../../wire/mismatch.ts';
import {
  allowlistEntry,
  compound,
  type Risk,
  type Rules,
  starter,
  unprofiled,
  type Verdict,
} from '../../../wire/policy.ts';
import { type Profile, profile } from '../../../wire/profile.ts';
import { array, check, record, type Schema } from '../../../wire/schema.ts';
import type { Step } from '../../../wire/steps.ts';
import { inputLines } from '../input.ts';
import type { Output } from '../../terminal/output.ts';
import { internalFault } from '../failure.ts';

/** Where to look for programs if a line has no `path`. */
export const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

const LONGEST_LINE = 16 << 20;
const PIECE = 1 << 16;

/** Answers every line; an invalid line is denied, with its id if that is known. */
export function checkBatch(output: Output): number {
  let buffered = '';
  for (const { bytes, more } of inputLines(LONGEST_LINE)) {
    if (bytes === undefined || bytes.some((byte) => byte !== 32 && byte !== 9 && byte !== 13))
      buffered += `${JSON.stringify(answer(bytes))}\n`;
    if (buffered !== '' && (!more || buffered.length > PIECE)) {
      output.out(buffered);
      buffered = '';
    }
  }
  return 0;
}

function answer(line: Buffer | undefined): unknown {
  let id: unknown = null;
  try {
    const question = readQuestion(line);
    id = question['id'] ?? null;
    return { id, ...answerTo(question) };
  } catch (error) {
    const fault = error instanceof Fault ? error : internalFault(error);
    return { id, verdict: 'deny', reason: `not-a-question: ${fault.message}`, error: faultData(fault) };
  }
}

function readQuestion(line: Buffer | undefined): Readonly<Record<string, unknown>> {
  if (line === undefined) throw lineFault(`a line is longer than ${LONGEST_LINE >> 20} MB`);
  if (!isUtf8(line)) throw lineFault('the line is not UTF-8 text');
  return readObject(line.toString().replace(/^\ufeff/u, ''));
}

interface Checked {
  readonly verdict: Verdict;
  readonly class?: Risk;
  readonly reason: string;
  /** The steps of a compound command that runs without a shell. */
  readonly steps?: readonly Step[];
}

function answerTo(question: Readonly<Record<string, unknown>>): Checked {
  const { command, cwd = process.cwd(), path = DEFAULT_PATH, strictInlineEval = true } = question;
  if (typeof command !== 'string') throw lineFault('command must be a string');
  if (typeof cwd !== 'string' || typeof path !== 'string') throw lineFault('cwd and path must be strings');
  if (typeof strictInlineEval !== 'boolean') throw lineFault('strictInlineEval must be true or false');
  const rules = rulesIn(question, strictInlineEval);
  const { pty = false, env = {} } = question;
  if (typeof pty !== 'boolean') throw lineFault('pty must be true or false');
  if (!isStringRecord(env)) throw lineFault('env must be an object of strings');
  const { refused, unlisted } = environmentOf({ inherited: {}, overrides: env });
  if (refused[0] !== undefined)
    return { verdict: 'deny', reason: `environment: env.${refused[0].name}: ${refused[0].why}` };
  const lookup = createLookup({ path, cwd, workspace: workspaceFor(process.cwd(), cwd) });
  const { verdict, code, reason, risk, plan } = judgeCall({ command, unlisted, pty }, rules, lookup, cwd);
  return {
    verdict,
    ...(risk === undefined ? {} : { class: risk }),
    reason: `${code}: ${reason}`,
    ...(plan?.steps === undefined ? {} : { steps: plan.steps }),
  };
}

const entries = array(allowlistEntry);
const profiles = record(profile);

/** What a line may say about the rules. The defaults are those of the specification. */
function rulesIn(question: Readonly<Record<string, unknown>>, strictInlineEval: boolean): Rules {
  const ofPaths = stringList(question['allowlist'], 'allowlist').map((pattern) => ({ pattern }));
  return {
    allowlist: [...ofPaths, ...memberOf(question, 'rules', entries, [])],
    deny: [],
    safeBins: stringList(question['safeBins'], 'safeBins'),
    safeBinProfiles: {},
    safeBinTrustedDirs: [],
    strictInlineEval,
    starter: memberOf(question, 'starter', starter, 'none'),
    compound: memberOf(question, 'compound', compound, 'ask'),
    unprofiled: memberOf(question, 'unprofiled', unprofiled, 'screen'),
    profiles: checkedProfiles(memberOf(question, 'profiles', profiles, {})),
  };
}

function memberOf<T>(question: Readonly<Record<string, unknown>>, name: string, schema: Schema<T>, otherwise: T): T {
  const value = question[name];
  if (value === undefined || value === null) return otherwise;
  try {
    return check(schema, value, name);
  } catch (error) {
    throw error instanceof Mismatch ? lineFault(error.message) : error;
  }
}

function checkedProfiles(all: Readonly<Record<string, Profile>>): Readonly<Record<string, Profile>> {
  for (const [name, one] of Object.entries(all)) {
    const problem = whyUnused(name, one);
    if (problem !== undefined) throw lineFault(`profiles.${name}: ${problem}`);
  }
  return all;
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw lineFault(`the line is not JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw lineFault('the line is not a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

function stringList(value: unknown, name: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw lineFault(`${name} must be a list of strings`);
  return value;
}

function lineFault(message: string): Fault {
  return new Fault('USAGE_LINE', message, {
    hint: 'write {"id": "1", "command": "ls -la", "allowlist": ["/usr/bin/ls"], "safeBins": []} on each line',
  });
}

function isStringRecord(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
