/** Checks whether Codex runs a hook: Codex keeps the hash of each trusted hook in the user's configuration file. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readClientFile } from './client-file.ts';
import { scanToml } from './toml-scan.ts';

interface CodexHome {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A hook in the list of an event, with the indexes of its group and of itself. */
export interface PlacedHook {
  readonly group: number;
  readonly index: number;
  readonly matcher: unknown;
  readonly hook: Readonly<Record<string, unknown>>;
}

/** Why a client does not run a hook of its file, and what to do. */
export interface InactiveHook {
  readonly why: string;
  readonly fix: string;
}

const FIX = 'start codex and type /hooks';
const UNTRUSTED: InactiveHook = { why: 'Codex does not run the hook before you trust it', fix: FIX };
const CHANGED: InactiveHook = { why: 'Codex does not run the hook, because it was trusted in another form', fix: FIX };
const DISABLED: InactiveHook = { why: 'Codex does not run the hook, because it is disabled there', fix: FIX };

/** Undefined if the user trusts exactly this hook. */
export function untrustedByCodex(placed: PlacedHook, file: string, { home, env }: CodexHome): InactiveHook | undefined {
  const config = join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml');
  const state = existsSync(config) ? stateOf(readClientFile(config), keyOf(placed, file)) : new Map<string, string>();
  const trusted = state.get('trusted_hash');
  if (trusted === undefined) return UNTRUSTED;
  if (state.get('enabled') === 'false') return DISABLED;
  return trusted.slice(1, -1) === hashOf(placed) ? undefined : CHANGED;
}

function keyOf({ group, index }: PlacedHook, file: string): string {
  return `${file}:pre_tool_use:${group}:${index}`;
}

/** The pairs of [hooks.state."<key>"]. Codex writes no other form of this table. */
function stateOf(text: string, key: string): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  const wanted = JSON.stringify(['hooks', 'state', key]);
  let table = '';
  for (const { kind, keys, value } of scanToml(text))
    if (kind !== 'pair') table = kind === 'table' ? JSON.stringify(keys) : '';
    else if (table === wanted && keys.length === 1) pairs.set(keys[0]!, value!);
  return pairs;
}

const KNOWN = new Set(['type', 'command', 'timeout', 'statusMessage']);

/** The hash that Codex compares: of hook and matcher as JSON with sorted members; undefined for an unknown member. */
function hashOf({ matcher, hook }: PlacedHook): string | undefined {
  if (Object.keys(hook).some((name) => !KNOWN.has(name))) return undefined;
  const { type, command, timeout = 600, statusMessage } = hook;
  const hooks = [{ async: false, command, statusMessage, timeout, type }];
  const identity = JSON.stringify({ event_name: 'pre_tool_use', hooks, matcher });
  return `sha256:${createHash('sha256').update(identity).digest('hex')}`;
}
