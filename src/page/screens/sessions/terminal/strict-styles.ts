/**
 * Lets xterm style itself under `style-src 'self'`. It writes three style elements and, for colours beyond the palette, style
 * attributes; the policy blocks both. The same rules through the CSSOM are allowed, because only this page's scripts can reach it.
 */

/** A stand-in for a style element: its text becomes a constructed style sheet. */
function constructedStyle(): HTMLElement {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  const element = Document.prototype.createElement.call(document, 'template');
  Object.defineProperty(element, 'textContent', {
    set: (rules: string) => {
      sheet.replaceSync(rules);
    },
  });
  Object.defineProperty(element, 'remove', {
    value: () => {
      Element.prototype.remove.call(element);
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet);
    },
  });
  return element;
}

/** Runs the function; style elements that it creates are constructed style sheets. */
export function withConstructedStyles(run: () => void): void {
  Object.defineProperty(document, 'createElement', {
    configurable: true,
    value: (...given: Parameters<Document['createElement']>) =>
      given[0] === 'style' ? constructedStyle() : Document.prototype.createElement.apply(document, given),
  });
  try {
    run();
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

/** `setAttribute('style', …)` of a span sets the same declarations through the CSSOM. */
export function styleSpansThroughCssom(): void {
  HTMLSpanElement.prototype.setAttribute = function setAttribute(name: string, value: string): void {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
