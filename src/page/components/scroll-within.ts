/** Brings an element into view inside of the part that scrolls, and moves nothing else: on a phone, the page stays where it is. */
export function scrollWithin(element: HTMLElement, part: HTMLElement, where: 'nearest' | 'center'): void {
  const inner = element.getBoundingClientRect();
  const outer = part.getBoundingClientRect();
  if (where === 'center') {
    part.scrollTop += inner.top + inner.height / 2 - (outer.top + outer.height / 2);
    return;
  }
  if (inner.top < outer.top) part.scrollTop += inner.top - outer.top;
  else if (inner.bottom > outer.bottom) part.scrollTop += inner.bottom - outer.bottom;
}
