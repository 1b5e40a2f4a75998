/** `exec-approvals.json`: which agent may run what without approval. An invalid file denies everything. */
import { dirname } from 'node:path';
import { toJson } from '../../text/json/data.ts';
import { JsonObject, type JsonValue, readJson, writeJson } from '../../text/json/value.ts';
import type { AllowlistEntry } from '../../wire/policy.ts';
import { hashOf } from '../files/content-hash.ts';
import { takeLocks } from '../files/locks/locks.ts';
import { agentKey, type ApprovalsDocument, type DocumentOptions, readDocument, rulesForAgent } from './document.ts';
import { ambiguousPattern, brokenFile, changedFile, invalidFile, unsafeFile, unwritable } from './file-faults.ts';
import { readPrivate, replacePrivate, stampOf } from './private-file.ts';
import {
  replaceMember,
  EMPTY_DOCUMENT,
  memberOf,
  migrateDocument,
  objectOf,
  type Use,
  withEntries,
  withoutEntry,
  withUse,
} from './revise-document.ts';
import type { ApprovalRules, ApprovalsFile, CheckRules } from './shape.ts';

export interface ApprovalsFileOptions {
  readonly path: string;
  readonly checkRules: CheckRules;
  /** The replacement for `~` in patterns. */
  readonly home?: string;
  readonly now?: () => number;
  /** Receives the error when the use of an entry could not be recorded. */
  readonly onTrouble?: (error: unknown) => void;
}

const LOCK_WAIT_MS = 5000;
/** Agent names can be arbitrary, so the number of cached ones is limited. */
const MOST_AGENTS = 1000;
/** A file that changed so recently may change again with the same timestamp. */
const RACY_MS = 100;
/** Uses are written in batches, per entry at most this often: every write invalidates the hash that others have. */
const USE_DELAY_MS = 1000;
const USE_EVERY_MS = 600_000;

/** The file as last read. */
interface Content {
  readonly stamp: string;
  /** Whether the file was old enough when it was read that its stamp reveals any later change. */
  readonly isSettled: boolean;
  readonly exists: boolean;
  readonly bytes: Uint8Array;
  /** Why the file is not read at all. */
  readonly refused?: string;
  readonly document: ApprovalsDocument | { readonly broken: string };
  /** The rules of agents that were requested so far. */
  readonly rules: Map<string, ApprovalRules>;
}

export interface ApprovalsFileWithRemarks extends ApprovalsFile {
  /** Members without effect, one sentence each. */
  remarks(): readonly string[];
  /** The rules that a document would have for an agent, if it were the file. */
  preview(file: unknown, agent: string): ApprovalRules & { readonly remarks: readonly string[] };
}

/** Opens the approvals file; it need not exist, and is read again after each change. */
export function openApprovalsFile(options: ApprovalsFileOptions): ApprovalsFileWithRemarks {
  return new ApprovalsFileOnDisk(options);
}

class ApprovalsFileOnDisk implements ApprovalsFileWithRemarks {
  readonly path: string;
  readonly #documentOptions: DocumentOptions;
  readonly #now: () => number;
  readonly #onTrouble: ((error: unknown) => void) | undefined;
  readonly #uses = new Map<string, Use>();
  readonly #notedAt = new Map<string, number>();
  #content: Content | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ path, checkRules, home, now = Date.now, onTrouble }: ApprovalsFileOptions) {
    this.path = path;
    this.#documentOptions = { checkRules, home };
    this.#now = now;
    this.#onTrouble = onTrouble;
  }

  rulesFor(agent: string): ApprovalRules {
    const { document, rules } = this.#read();
    const known = rules.get(agent) ?? rulesForAgent(document, agent);
    if (rules.size < MOST_AGENTS) rules.set(agent, known);
    return withoutExpired(known, this.#now());
  }

  ownEntries(agent: string): readonly AllowlistEntry[] {
    const { document } = this.#read();
    return 'broken' in document ? [] : (document.agents.get(agentKey(agent))?.allowlist ?? []);
  }

  remarks(): readonly string[] {
    const { document } = this.#read();
    return 'broken' in document ? [] : [...document.remarks, ...expiredRemarks(document, this.#now())];
  }

  agents(): readonly string[] {
    const { document } = this.#read();
    return 'broken' in document ? [] : [...document.agents.keys()];
  }

  preview(file: unknown, agent: string): ApprovalRules & { readonly remarks: readonly string[] } {
    const document = readDocument(JSON.stringify(file) ?? '', this.#documentOptions);
    const remarks = 'broken' in document ? [] : [...document.remarks, ...expiredRemarks(document, this.#now())];
    return { ...withoutExpired(rulesForAgent(document, agent), this.#now()), remarks };
  }

  show(): ReturnType<ApprovalsFile['show']> {
    const { exists, bytes, document } = this.#read();
    const json = 'broken' in document ? jsonIn(bytes) : document.json;
    const file = json === undefined ? null : plainData(withoutToken(json));
    return { path: this.path, exists, hash: hashOf(bytes), file };
  }

  replace(file: unknown, baseHash: string): void {
    this.#exclusively((content) => {
      this.#expectHash(content, baseHash);
      const given = toJson(file);
      if (!(given instanceof JsonObject)) throw invalidFile('the file must be an object');
      const before = 'broken' in content.document ? jsonIn(content.bytes) : content.document.json;
      this.#write(before === undefined ? given : withTokenOf(given, before), content);
    });
  }

  add(agent: string, entries: readonly AllowlistEntry[], baseHash?: string): readonly AllowlistEntry[] {
    return this.#revise((document) => {
      const { document: changed, stored } = withEntries(document, agent, entries);
      return { changed, answer: stored };
    }, baseHash);
  }

  remove(agent: string, idOrPattern: string, baseHash?: string): AllowlistEntry | undefined {
    return this.#revise((document) => {
      const result = withoutEntry(document, agent, idOrPattern);
      if (result === 'ambiguous') throw ambiguousPattern(idOrPattern);
      return { changed: result.document, answer: result.removed };
    }, baseHash);
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
      // The command has already run by this rule, so a failure to record its use is only reported.
      this.#onTrouble?.(error);
    }
  }

  /** Changes the current document under the lock, so that no other change is lost. */
  #revise<T>(
    work: (document: JsonObject) => { readonly changed: JsonObject; readonly answer: T },
    baseHash?: string,
  ): T {
    return this.#exclusively((content) => {
      if (baseHash !== undefined) this.#expectHash(content, baseHash);
      if ('broken' in content.document) throw brokenFile(this.path, content.document.broken);
      const before = migrateDocument(content.document.json);
      const { changed, answer } = work(before);
      if (changed !== before) this.#write(changed, content);
      return answer;
    });
  }

  #expectHash({ bytes }: Content, baseHash: string): void {
    const hash = hashOf(bytes);
    if (hash !== baseHash) throw changedFile(this.path, hash);
  }

  #exclusively<T>(work: (content: Content) => T): T {
    const lock = takeLocks([this.path], { stateDir: dirname(this.path), lockWaitMs: LOCK_WAIT_MS });
    try {
      const content = this.#read('fresh');
      if (content.refused !== undefined) throw unsafeFile(this.path, content.refused);
      return work(content);
    } finally {
      lock.release();
    }
  }

  #write(document: JsonObject, content: Content): void {
    const text = `${writeJson(document, { indent: '  ' })}\n`;
    const parsed = readDocument(text, this.#documentOptions);
    if ('broken' in parsed) throw invalidFile(parsed.broken);
    // An editor takes no lock: what it saved since must not be lost either.
    const expectTheSame = (): void => {
      const now = this.#read('fresh');
      if (hashOf(now.bytes) !== hashOf(content.bytes)) throw changedFile(this.path, hashOf(now.bytes));
    };
    try {
      replacePrivate(this.path, text, expectTheSame);
    } catch (error) {
      throw unwritable(error, this.path);
    }
    this.#content = undefined;
  }

  #read(how?: 'fresh'): Content {
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
      document: 'refused' in read ? { broken: read.refused } : this.#parse(bytes),
      rules: new Map(),
    };
    return this.#content;
  }

  #parse(bytes: Uint8Array | undefined): Content['document'] {
    if (bytes === undefined)
      return { json: EMPTY_DOCUMENT, defaults: { allowlist: [], deny: [] }, agents: new Map(), remarks: [] };
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return { broken: 'it is not UTF-8 text' };
    }
    return readDocument(text, this.#documentOptions);
  }
}

function expiredRemarks({ agents }: ApprovalsDocument, now: number): readonly string[] {
  return [...agents].flatMap(([agent, { allowlist }]) =>
    allowlist.flatMap(({ id, pattern, expiresAt = now + 1 }) => {
      if (expiresAt > now) return [];
      const entry = `agents.${agent}.allowlist: the entry ${id ?? pattern} for ${pattern}`;
      return [`${entry} expired at ${new Date(expiresAt).toISOString()}, and has no effect; remove it`];
    }),
  );
}

/** The clock is read at each request: an entry may expire while the file stays the same. */
function withoutExpired(rules: ApprovalRules, now: number): ApprovalRules {
  const isExpired = ({ expiresAt }: AllowlistEntry): boolean => expiresAt !== undefined && expiresAt <= now;
  const expired = rules.allowlist.filter(isExpired);
  if (expired.length === 0) return rules;
  return { ...rules, allowlist: rules.allowlist.filter((entry) => !isExpired(entry)), expired };
}

function isSettled(stamp: string): boolean {
  const changedAt = stamp.split(':').at(-1);
  if (changedAt === undefined || !/^\d+$/u.test(changedAt)) return true;
  return Date.now() - Number(BigInt(changedAt) / 1_000_000n) > RACY_MS;
}

/** Undefined for other text: the place of its token is unknown. */
function jsonIn(bytes: Uint8Array): JsonObject | undefined {
  const read = readJson(Buffer.from(bytes).toString());
  return 'error' in read || !(read.value instanceof JsonObject) ? undefined : read.value;
}

/** The key of a companion's socket is secret; it stays in the file. */
function withoutToken(document: JsonObject): JsonObject {
  // All of them: an invalid document may have several members of a name.
  const entries = document.entries.map(([name, value]): JsonObject['entries'][number] =>
    name === 'socket' && value instanceof JsonObject
      ? [name, new JsonObject(value.entries.filter(([key]) => key !== 'token'))]
      : [name, value],
  );
  return new JsonObject(entries);
}

function withTokenOf(given: JsonObject, before: JsonObject): JsonObject {
  const token = memberOf(objectOf(memberOf(before, 'socket')), 'token');
  const socket = memberOf(given, 'socket');
  if (token === undefined || !(socket instanceof JsonObject) || memberOf(socket, 'token') !== undefined) return given;
  return replaceMember(given, 'socket', () => replaceMember(socket, 'token', () => token));
}

/** The document as plain data; numbers that a double cannot represent are rounded. */
function plainData(json: JsonValue): unknown {
  return JSON.parse(writeJson(json, { indent: '' }));
}
