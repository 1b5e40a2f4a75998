/** The path of a request: what the gate sees, and its name in the metrics. */
import { isPagePath, LOGIN_PATH, SOCKET_PATH } from './page/paths.ts';

/**
 * The path of a request, undefined where the router could see another one. The router parses the URL, which resolves dot
 * segments (`/files/../mcp` becomes `/mcp`), so the gate accepts only a path that parsing does not change.
 */
export function pathOf(url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  const base = 'http://localhost';
  if (!path.startsWith('/') || !URL.canParse(base + url)) return undefined;
  return new URL(base + url).pathname === path ? path : undefined;
}

export function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** A small set of names, because each one is a metric label that is kept forever. */
export function routeOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  if (ROUTES.has(path)) return path;
  if (isPagePath(path)) return 'page';
  return path.startsWith('/v1/tools/') ? '/v1/tools/{name}' : 'other';
}

const ROUTES = new Set([
  '/healthz',
  '/readyz',
  '/metrics',
  '/openapi.json',
  '/v1/tools',
  '/mcp',
  LOGIN_PATH,
  SOCKET_PATH,
]);
