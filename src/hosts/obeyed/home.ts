import { userInfo } from 'node:os';

/** The home of this user, as the system's list of users says. */
export function homeOfUser(): string {
  try {
    return userInfo().homedir;
  } catch {
    return '/root'; // a user whom no list knows has none; root's is nobody else's business either
  }
}
