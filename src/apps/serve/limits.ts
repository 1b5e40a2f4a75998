/** Limits and timeouts of the HTTP server. */

/** A longer body is answered with 413. */
export const LONGEST_BODY = 4 << 20;
/** All request bodies that are being received at the same time. */
export const MOST_BODY_BYTES = 256 << 20;
/** Further connections are closed immediately. */
export const MOST_CONNECTIONS = 4_096;
/** Running requests, including streams; further ones are answered with 503. */
export const MOST_REQUESTS = 2_048;
/** Sessions of clients with the protocol of 2025. */
export const MOST_MCP_SESSIONS = 256;
/** Notification streams of clients with the protocol of 2026. */
export const MOST_SUBSCRIPTIONS = 512;
/** A session without requests and open streams ends after this time. */
export const MCP_IDLE_MS = 30 * 60_000;
/** At the limit, a new session replaces one that has been idle for this long. */
export const MCP_EVICT_MS = 5_000;

/** From the connection to the end of the headers. */
export const HEADER_MS = 10_000;
/** From the first byte to the end of the body. */
export const BODY_MS = 30_000;
/** Between two requests on one connection. */
export const KEEP_ALIVE_MS = 15_000;
/** How often these timeouts are checked. */
export const CHECK_MS = 1_000;
/** Running requests may take this long when the server stops. */
export const GRACE_MS = 5_000;
