/** Records name a person of this page `page:<name>`. */
export function personText(by = 'no person'): string {
  return by.startsWith('page:') ? by.slice('page:'.length) : by;
}
