/** Cut between characters, never within one. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/u.test(text[length - 1] ?? '') ? length - 1 : length;
  return text.slice(0, end);
}
