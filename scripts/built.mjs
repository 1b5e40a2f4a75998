// @ts-check
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether `dist/` was built after the last change of what it is made from. @param {string} root */
export function isBuilt(root) {
  const built = statSync(join(root, 'dist', 'pincer.cjs'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const settings = readdirSync(root).filter((name) => /^(?:package|tsconfig).*\.json$/u.test(name));
  const inputs = ['src', 'scripts', ...settings];
  return inputs.every((input) => newestTime(join(root, input)) <= built.mtimeMs);
}

/** When a file, or the newest file in a folder, was written. @param {string} path @returns {number} */
function newestTime(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestTime(join(path, name))));
}
