/** The paths of the control page. They need no token: the files hold no secrets, and a login is checked at the socket. */
import { SCREEN_PATHS } from '../../../wire/page.ts';

export const LOGIN_PATH = '/login';
export const SOCKET_PATH = '/page/socket';

/** Files in the folder of `index.html` that browsers request. */
export const TOP_FILES = ['/icon.svg', '/favicon.ico', '/manifest.webmanifest', '/robots.txt'] as const;

const ASSET = /^\/assets\/[\w.-]+$/u;
const SCREENS = SCREEN_PATHS.map(
  (path) => new RegExp(`^${path.replaceAll('.', '\\.').replace(':id', '[^/]+').replace('*', '.+')}$`, 'u'),
);

export function isScreen(path: string): boolean {
  return SCREENS.some((screen) => screen.test(path));
}

export function isAsset(path: string): boolean {
  return ASSET.test(path);
}

export function isTopFile(path: string): boolean {
  return TOP_FILES.some((file) => file === path);
}

/** Whether reading this path needs no token. The path has no dot segments: `/files/*` fits everything below it. */
export function isPagePath(path: string): boolean {
  return path === LOGIN_PATH || path === SOCKET_PATH || isAsset(path) || isTopFile(path) || isScreen(path);
}
