/** `exec-approvals.json`: who may run what without being asked. A file that is not understood denies everything. */
import { dirname } from 'node:path';
import { toJson } from '../../text/json/data.ts';
import { JsonObject, type JsonValue, writeJson } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';
import { hashOf } from '../files/content-hash.ts';
import { takeLocks } from '../files/locks/locks.ts';
import { type ApprovalsDocument, type Reading, readDocument, rulesOf } from './document.ts';
import { ambiguousPattern, brokenFile, changedFile, invalidFile, unsafeFile, unwritable } from './file-faults.ts';
import { readPrivate, replacePrivate, stampOf } from './private-file.ts';
import {
  change,
  EMPTY_DOCUMENT,
  memberOf,
  modern,
  objectOf,
  type Use,
  withEntries,
  withoutEntry,
  withUse,
} from './revise.ts';
import type { ApprovalRules, ApprovalsFile, CheckRules } from './shape.ts';

export interface ApprovalsFileOptions {
  readonly path: string;
  readonly checkRules: CheckRules;
  /** What `~/` at the start of a pattern means. */
  readonly home?: string;
  readonly now?: () => number;
  /** Hears that a use could not be noted. */
  readonly onTrouble?: (error: unknown) => void;
}

const LOCK_WAIT_MS = 5000;
/** Names of agents may come from anywhere; the rules of so many are kept. */
const MOST_AGENTS = 1000;
/** A file that changed so recently may change again without its time showing it. */
const YOUNG_MS = 100;
/** Uses are written together, and one entry's at most so often: every write makes the hash that others hold old. */
const USE_DELAY_MS = 1000;
const USE_EVERY_MS = 600_000;

/** What the file held when it was read last. */
interface Content {
  readonly stamp: string;
  /** Whether it had been left alone for a while when it was read, so that its time tells of any later change. */
  readonly isSettled: boolean;
  readonly exists: boolean;
  readonly bytes: Uint8Array;
  /** Why what stands there is not even looked at. */
  readonly refused?: string;
  readonly said: ApprovalsDocument | { readonly broken: string };
  /** What it says for agents that were asked about. */
  readonly rules: Map<string, ApprovalRules>;
}

/** The file together with what its author should hear of. */
export interface RemarkedFile extends ApprovalsFile {
  /** Members without a meaning, one sentence each. */
  remarks(): readonly string[];
}

/** Opens the approvals file; it need not exist, and is read again whenever it changed. */
export function openApprovalsFile(options: ApprovalsFileOptions): RemarkedFile {
  return new ApprovalsFileOnDisk(options);
}

class ApprovalsFileOnDisk implements RemarkedFile {
  readonly path: string;
  readonly #reading: Reading;
  readonly #now: () => number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  readonly #uses = new Map<string, Use>();
  readonly #notedAt = new Map<string, number>();
  #content: Content | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ path, checkRules, home, now = Date.now, onTrouble }: ApprovalsFileOptions) {
    this.path = path;
    this.#reading = { checkRules, home };
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  rulesFor(agent: string): ApprovalRules {
    const { said, rules } = this.#read();
    const known = rules.get(agent);
    if (known !== undefined) return known;
    const made = rulesOf(said, agent);
    if (rules.size < MOST_AGENTS) rules.set(agent, made);
    return made;
  }

  remarks(): readonly string[] {
    const { said } = this.#read();
    return 'broken' in said ? [] : said.remarks;
  }

  show(): ReturnType<ApprovalsFile['show']> {
    const { exists, bytes, said } = this.#read();
    const file = 'broken' in said ? Buffer.from(bytes).toString() : plainData(withoutToken(said.json));
    return { path: this.path, exists, hash: hashOf(bytes), file };
  }

  replace(file: unknown, baseHash: string): void {
    this.#exclusively((content) => {
      if (hashOf(content.bytes) !== baseHash) throw changedFile(this.path, hashOf(content.bytes));
      const given = toJson(file);
      if (!(given instanceof JsonObject)) throw invalidFile('the file must be an object');
      this.#write('broken' in content.said ? given : withTokenOf(given, content.said.json), content);
    });
  }

  add(agent: string, entries: readonly AllowlistEntry[]): readonly AllowlistEntry[] {
    return this.#revise((document) => {
      const { document: changed, stored } = withEntries(document, agent, entries);
      return { changed, answer: stored };
    });
  }

  remove(agent: string, idOrPattern: string): AllowlistEntry | undefined {
    return this.#revise((document) => {
      const result = withoutEntry(document, agent, idOrPattern);
      if (result === 'ambiguous') throw ambiguousPattern(idOrPattern);
      return { changed: result.document, answer: result.removed };
    });
  }

  used(agent: string, entry: AllowlistEntry, command: string, resolvedPath: string): void {
    const at = this.#now();
    const key = JSON.stringify([agent, entry.id ?? entry]);
    this.#uses.set(key, { agent, entry, at, command, resolvedPath });
    if (at - (this.#notedAt.get(key) ?? Number.NEGATIVE_INFINITY) < USE_EVERY_MS) return;
    this.#timer ??= setTimeout(() => this.flush(), USE_DELAY_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    for (const [key, { at }] of uses) this.#notedAt.set(key, at);
    try {
      this.#revise((document) => ({
        changed: uses.reduce((json, [, use]) => withUse(json, use), document),
        answer: undefined,
      }));
    } catch (error) {
      // A command has run by this rule, and runs on; that its use is not noted is told, and no more.
      this.#onTrouble?.(error);
    }
  }

  /** Changes the document under the lock, from what stands there now: nobody's change is lost. */
  #revise<T>(work: (document: JsonObject) => { readonly changed: JsonObject; readonly answer: T }): T {
    return this.#exclusively((content) => {
      if ('broken' in content.said) throw brokenFile(this.path, content.said.broken);
      const before = modern(content.said.json);
      const { changed, answer } = work(before);
      if (changed !== before) this.#write(changed, content);
      return answer;
    });
  }

  #exclusively<T>(work: (content: Content) => T): T {
    const lock = takeLocks([this.path], { stateDir: dirname(this.path), lockWaitMs: LOCK_WAIT_MS });
    try {
      const content = this.#read('anew');
      if (content.refused !== undefined) throw unsafeFile(this.path, content.refused);
      return work(content);
    } finally {
      lock.release();
    }
  }

  #write(document: JsonObject, content: Content): void {
    const text = `${writeJson(document, { indent: '  ' })}\n`;
    const said = readDocument(text, this.#reading);
    if ('broken' in said) throw invalidFile(said.broken);
    // An editor takes no lock: what it saved in this moment must not be lost, either.
    const expectTheSame = (): void => {
      const now = this.#read('anew');
      if (hashOf(now.bytes) !== hashOf(content.bytes)) throw changedFile(this.path, hashOf(now.bytes));
    };
    try {
      replacePrivate(this.path, text, expectTheSame);
    } catch (error) {
      throw unwritable(error, this.path);
    }
    this.#content = undefined;
  }

  #read(how?: 'anew'): Content {
    const known = this.#content;
    const stamp = stampOf(this.path);
    if (how === undefined && known !== undefined && known.isSettled && known.stamp === stamp) return known;
    const read = readPrivate(this.path);
    const bytes = 'refused' in read ? undefined : read.bytes;
    this.#content = {
      stamp: read.stamp,
      isSettled: isSettled(read.stamp),
      exists: bytes !== undefined || 'refused' in read,
      bytes: bytes ?? new Uint8Array(),
      ...('refused' in read ? { refused: read.refused } : {}),
      said: 'refused' in read ? { broken: read.refused } : this.#understand(bytes),
      rules: new Map(),
    };
    return this.#content;
  }

  #understand(bytes: Uint8Array | undefined): Content['said'] {
    if (bytes === undefined)
      return { json: EMPTY_DOCUMENT, defaults: { allowlist: [], deny: [] }, agents: new Map(), remarks: [] };
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return { broken: 'it is not UTF-8 text' };
    }
    return readDocument(text, this.#reading);
  }
}

function isSettled(stamp: string): boolean {
  const changedAt = stamp.split(':').at(-1);
  if (changedAt === undefined || !/^\d+$/u.test(changedAt)) return true;
  return Date.now() - Number(BigInt(changedAt) / 1_000_000n) > YOUNG_MS;
}

/** The key of a companion's socket is nobody's business; it stays in the file. */
function withoutToken(document: JsonObject): JsonObject {
  if (!(memberOf(document, 'socket') instanceof JsonObject)) return document;
  return change(
    document,
    'socket',
    (socket) => new JsonObject(objectOf(socket).entries.filter(([key]) => key !== 'token')),
  );
}

function withTokenOf(given: JsonObject, before: JsonObject): JsonObject {
  const token = memberOf(objectOf(memberOf(before, 'socket')), 'token');
  const socket = memberOf(given, 'socket');
  if (token === undefined || !(socket instanceof JsonObject) || memberOf(socket, 'token') !== undefined) return given;
  return change(given, 'socket', () => change(socket, 'token', () => token));
}

/** The document for whoever reads it; numbers that a double cannot hold come as close as they can. */
function plainData(json: JsonValue): unknown {
  return JSON.parse(writeJson(json, { indent: '' }));
}
