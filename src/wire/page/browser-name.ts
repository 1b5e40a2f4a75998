const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//u, 'Edge'],
  [/\bOPR\//u, 'Opera'],
  [/\bFirefox\//u, 'Firefox'],
  [/Chrom(?:e|ium)\//u, 'Chrome'],
  [/\bSafari\//u, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/u, 'Android'],
  [/\biP(?:hone|ad)\b/u, 'iOS'],
  [/\bMac OS X\b/u, 'macOS'],
  [/\bWindows\b/u, 'Windows'],
  [/\bLinux\b/u, 'Linux'],
];

/** `Firefox on Linux`; the whole header where it says neither. */
export function browserName(header: string): string {
  const found = [BROWSERS, SYSTEMS].map((list) => list.find(([pattern]) => pattern.test(header))?.[1]);
  const names = found.filter((name) => name !== undefined);
  return names.length === 0 ? header : names.join(' on ');
}
