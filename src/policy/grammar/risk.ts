import type { Risk } from '../../wire/policy.ts';

/** From harmless to dangerous, which is also the order of questions from last to first. */
const ORDER: readonly Risk[] = [
  'read',
  'workspace',
  'git-local',
  'syntax',
  'unknown',
  'inline-code',
  'project',
  'secret',
  'outside',
  'network',
  'system',
];

/** The highest risk of several decisions. */
export function highestRisk(decided: readonly { readonly risk?: Risk }[]): { readonly risk?: Risk } {
  const places = decided.flatMap(({ risk }) => (risk === undefined ? [] : [ORDER.indexOf(risk)]));
  return places.length === 0 ? {} : { risk: ORDER[Math.max(...places)]! };
}
