/** The bounds of the HTTP server: what one client, or many, may take of this process. */

/** A body; what is longer is answered 413. */
export const LONGEST_BODY = 4 << 20;
/** All bodies that are being read at one time. */
export const MOST_BODY_BYTES = 256 << 20;
/** Connections; further ones are closed at once. */
export const MOST_CONNECTIONS = 4_096;
/** Requests in work, streams among them; further ones are answered 503. */
export const MOST_REQUESTS = 2_048;
/** Sessions of clients that speak the protocol of 2025. */
export const MOST_MCP_SESSIONS = 256;
/** Streams of notices to clients that speak the protocol of 2026. */
export const MOST_SUBSCRIPTIONS = 512;
/** After this time without a request and without an open stream a session is ended. */
export const MCP_IDLE_MS = 30 * 60_000;
/** Where there is no room for a new session, one that has been still for this long gives way. */
export const MCP_STILL_MS = 5_000;

/** From the connection to the end of the header. */
export const HEADER_MS = 10_000;
/** From the first byte to the end of the body. */
export const BODY_MS = 30_000;
/** Between two requests on one connection. */
export const KEEP_ALIVE_MS = 15_000;
/** How often connections are looked at for these. */
export const LOOK_MS = 1_000;
/** What answers in work are given when the server is to end. */
export const GRACE_MS = 5_000;
