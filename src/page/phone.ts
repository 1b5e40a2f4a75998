/** As the breakpoint in parts/media.css: the list and the details of an item are separate views. */
const PHONE = '(max-width: 760px)';

export function isPhone(): boolean {
  return matchMedia(PHONE).matches;
}
