/** The outcome of the escape suite as the table in docs/security.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PROMISES } from '../../../src/hosts/sandbox/probe/promises.ts';
import type { BackendName } from '../../../src/wire/sandbox.ts';

/** `held`, or the reason why not, for each promise of each backend that was attacked. */
export type Results = Readonly<Partial<Record<BackendName, Readonly<Record<string, string>>>>>;

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../../docs/security.md', import.meta.url));
const BEGIN = '<!-- escape suite: begin -->\n';
const END = '<!-- escape suite: end -->';

/** Those that are attacked, in the order of their columns. */
export const ATTACKED = ['bubblewrap', 'docker', 'podman'] as const satisfies readonly BackendName[];

/** What was recorded. */
export function readResults(): Results {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Results;
}

/** The table; a reason stands below it, under its number. */
export function tableOf(results: Results): string {
  const names = ATTACKED.filter((name) => results[name] !== undefined);
  const reasons: string[] = [];
  const cell = (name: BackendName, id: string): string => {
    const outcome = results[name]?.[id];
    if (outcome === 'held') return 'held';
    if (outcome === undefined) return 'not tried';
    const known = reasons.indexOf(outcome);
    return `no (${known >= 0 ? known + 1 : reasons.push(outcome)})`;
  };
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    row(['what is promised', ...names]),
    `|${'---|'.repeat(names.length + 1)}`,
    ...Object.entries(PROMISES).map(([id, what]) => row([what, ...names.map((name) => cell(name, id))])),
  ];
  return [...lines, '', ...reasons.map((reason, i) => `${i + 1}. ${reason}`), ...(reasons.length > 0 ? [''] : [])].join(
    '\n',
  );
}

/** What stands in the document now. */
export function tableInDocument(): string | undefined {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(BEGIN);
  const end = text.indexOf(END);
  return begin < 0 || end < begin ? undefined : text.slice(begin + BEGIN.length, end);
}

/** Keeps the outcome of one backend, and writes the table anew. */
export function record(name: BackendName, outcome: Readonly<Record<string, string>>): void {
  const known = Object.entries({ ...readResults(), [name]: outcome });
  const results: Results = Object.fromEntries(ATTACKED.flatMap((each) => known.filter(([of]) => of === each)));
  writeFileSync(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  const before = tableInDocument();
  if (before === undefined) throw new Error('docs/security.md has no place for the table of the escape suite');
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(
    DOCUMENT,
    text.replace(`${BEGIN}${before}${END}`, () => `${BEGIN}${tableOf(results)}${END}`),
  );
}
