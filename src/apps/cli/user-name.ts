import { userInfo } from 'node:os';

/** The person who gives an answer or an order. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.geteuid?.() ?? 'unknown'}`; // a uid without a passwd entry, as in containers
  }
}
