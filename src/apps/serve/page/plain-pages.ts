/** Pages without script, for answers that the built page cannot give. */
import { LINK_MINUTES } from '../../../wire/page/login-terms.ts';

interface PlainPage {
  readonly title: string;
  readonly text: string;
  /** A command that a person can copy. */
  readonly command?: string;
  /** The text of a link to the home screen. */
  readonly home?: string;
}

/** Makes the page; `styles` are the stylesheets of the built page. All texts are constants of the program. */
function plainPage({ title, text, command, home }: PlainPage): (styles?: string) => string {
  return (styles = '') =>
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n' +
    `<title>${title} · Pincer</title>\n<link rel="icon" href="/icon.svg" type="image/svg+xml">\n${styles}\n</head>\n` +
    `<body>\n<main class="login-needed">\n<div class="brand"><img src="/icon.svg" alt="" width="24" height="24">Pincer</div>\n<h1>${title}</h1>\n<p>${text}</p>\n` +
    (command === undefined ? '' : `<div class="snippet"><code>${command}</code></div>\n`) +
    (home === undefined ? '' : `<p><a href="/">${home}</a></p>\n`) +
    '</main>\n</body>\n</html>\n';
}

export const LINK_REFUSED = plainPage({
  title: 'This link does not work',
  text: `A login link works once and for ${LINK_MINUTES} minutes. This one was used, has expired, or is unknown. Run this command for a new one:`,
  command: 'pincer page',
});

/** A browser loads the link in advance, or inside another page. The link stays valid. */
export const LINK_NOT_OPENED = plainPage({
  title: 'Open this link in a browser tab',
  text: 'The link was not used, because the request was not the navigation of a browser tab. Open it in a tab, or run this command for a new one:',
  command: 'pincer page',
});

export const NOT_BUILT = plainPage({
  title: 'The control page is not built',
  text: 'The folder dist/page of this installation is missing. In a clone of the repository, build it with:',
  command: 'npm run build',
});

export const NOT_FOUND = plainPage({
  title: 'Page not found',
  text: 'No screen of the control page has this address.',
  home: 'Open Approvals, the first screen',
});
