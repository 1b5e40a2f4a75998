/** How leniently a text is matched; each level folds more than the levels before it. */
export const LEVELS = ['exact', 'line-endings', 'trailing-blanks', 'punctuation', 'indentation', 'whitespace'] as const;

export type Level = (typeof LEVELS)[number];

/** Whether a level folds everything that `other` folds. */
export function reaches(level: Level, other: Level): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(other);
}
