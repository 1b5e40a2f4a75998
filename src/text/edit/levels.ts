/** How loosely a text may be looked for; each level folds what the levels before it fold, and more. */
export const LEVELS = ['exact', 'line-endings', 'trailing-blanks', 'punctuation', 'indentation', 'whitespace'] as const;

export type Level = (typeof LEVELS)[number];

/** Whether a level folds what another one does. */
export function reaches(level: Level, other: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(other);
}
