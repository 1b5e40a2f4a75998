/** Limits and timeouts of the control page. */

/** A longer message of a page ends its connection. */
export const LONGEST_MESSAGE = 1 << 20;
/** The same before the page has proved that it has the key of the login. */
export const LONGEST_HELLO = 4_096;
/** Pages of one login at once: a viewer must not keep operators out. */
export const MOST_PAGES_OF_LOGIN = 8;
/** Pages at once. `MOST_WAITING`: sockets with a cookie and without a checked proof; a new one ends the oldest. */
export const MOST_PAGES = 64;
export const MOST_WAITING = 16;
/** From the upgrade to the proof of the login. */
export const HELLO_MS = 5_000;
/** Calls of one page at once. */
export const MOST_CALLS = 32;
/** Sessions that one page follows at once. */
export const MOST_FOLLOWED = 8;
/** Entries of a list in one result. */
export const MOST_LISTED = 1_000;
/** Pending requests in one result, and their bytes: below `LONGEST_RESULT`. */
export const MOST_APPROVALS = 5_000;
export const MOST_APPROVAL_BYTES = 6 << 20;
/** The bytes of all sessions in one result: below `LONGEST_RESULT`. */
export const MOST_SESSION_BYTES = 6 << 20;
/** A part of a recording: many calls at once must not take the memory of the server. */
export const MOST_RECORDING_BYTES = 0x8_0000;
/** A call of a page waits for the end of a session at most this long. */
export const LONGEST_WAIT_MS = 60_000;
/** A result of more bytes is a fault. */
export const LONGEST_RESULT = 8 << 20;
/** While more bytes wait to be sent, a page gets no events and no output. */
export const MOST_UNSENT = 512 * 1024;
/** While more bytes wait to be sent, calls of a page fail. */
export const MOST_UNSENT_RESULTS = 2 << 20;
/** A result that would make more bytes wait is a fault, and a page with more unsent bytes is closed: it does not read. */
export const MOST_UNSENT_EVER = 12 << 20;
/** A page that misses more events loads its lists again. */
export const MOST_MISSED = 1_000;
/** A browser answers pings also in a hidden tab. */
export const PING_MS = 30_000;
/** How often open pages check their login, in addition to every write. */
export const LOGIN_CHECK_MS = 60_000;
