/** Lower case letters and digits of any script; each run of other characters becomes one dash. */
export function slugify(text: string): string {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return unicodeSlug(text);
  return asciiSlug(text);
}

function asciiSlug(text: string): string {
  let slug = '';
  let gap = false;
  const lower = text.toLowerCase();
  for (let at = 0; at < lower.length; ) {
    let end = at;
    while (end < lower.length && isWordUnit(lower.charCodeAt(end))) end++;
    if (end > at) {
      slug += gap && slug !== '' ? `-${lower.slice(at, end)}` : lower.slice(at, end);
      gap = false;
      at = end;
    } else {
      gap = true;
      at++;
    }
  }
  return slug;
}

function isWordUnit(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
}

/** Keeps combining marks only after a letter or digit: the variation selectors of an emoji are not part of a name. */
function unicodeSlug(text: string): string {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[\uFE00-\uFE0F\u20E3]/g, '');
  return (plain.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []).join('-');
}
