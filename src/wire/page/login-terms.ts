/** The terms of a login. The help of the program has them too, so this file imports nothing. */

/** How long a link works. */
export const LINK_MINUTES = 10;
/** A login ends when its browser has not used it for this long. */
export const UNUSED_DAYS = 30;

export const ROLES = ['viewer', 'operator'] as const;
