/** Tests do not sleep: they wait for an event, or poll through tests/support/patience.ts. */
import { parseAst } from 'rolldown/parseAst';
import { languageOf, type Node, visit } from './sources.ts';

/** The only files with timers of their own, each with its reason. */
export const FILES_WITH_TIMERS: Readonly<Record<string, string>> = {
  'tests/support/until.ts': 'it is the place for polls and bounds',
  'tests/support/dying.mjs': 'it runs unbundled, so it cannot import liveUntilKilled',
  'tests/support/sandbox.ts': 'it ends a program that hangs',
  'tests/fixtures/conformance/running.ts': 'the conformance suite wants tools that take a moment',
  'tests/durability/kills.test.ts': 'it kills at any moment of the work; no result depends on the moment',
  'tests/scenarios/many-writers.test.ts': 'it kills at any moment of the work; no result depends on the moment',
};

/** Commands with a short sleep that is neither a poll nor waited for. */
export const SHORT_SLEEPS: Readonly<Record<string, string>> = {
  'tests/house.test.ts': 'it has examples of what is refused',
  'tests/hosts/process/kill.test.ts': 'a tree of processes that forks without a pause would stop the machine',
};

const TIMERS = ['setTimeout', 'setInterval', 'sleep'];
const TIMER_METHODS = ['Atomics.wait', 'AbortSignal.timeout'];
const TIMER_MODULE = /^(?:node:)?timers(?:\/promises)?$/u;
const SHORT_SLEEP = /\bsleep (?:0?\.\d+|[1-9])\b(?!; done)/u;

export interface Waits {
  /** Timers, functions that sleep, and retries of vitest, as written. */
  readonly timers: readonly string[];
  /** Commands that sleep for less than ten seconds outside of the end of a loop. */
  readonly shortSleeps: readonly string[];
}

/** Finds them in the code, not in comments. */
export function waitsIn(path: string, text: string): Waits {
  const timers: string[] = [];
  const shortSleeps: string[] = [];
  visit(parseAst(text, languageOf(path), path), (node) => {
    const found = timerIn(node);
    if (found !== undefined) timers.push(found);
    const short = SHORT_SLEEP.exec(textIn(node));
    if (short !== null) shortSleeps.push(short[0]);
  });
  return { timers, shortSleeps };
}

function timerIn(node: Node): string | undefined {
  const { type } = node;
  if (type === 'Identifier') return TIMERS.find((name) => name === node['name']);
  if (type === 'Property') return nameOf(node['key']) === 'retry' ? 'retry' : undefined;
  if (type === 'MemberExpression')
    return TIMER_METHODS.find((name) => name === `${nameOf(node['object'])}.${nameOf(node['property'])}`);
  const module = (node['source'] as Node | null | undefined)?.['value'];
  return typeof module === 'string' && TIMER_MODULE.test(module) ? module : undefined;
}

function nameOf(node: unknown): string {
  return String((node as Node)['name']);
}

function textIn({ type, value }: Node): string {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'TemplateElement') return (value as { cooked?: string }).cooked ?? '';
  return '';
}
