// @ts-check
/**
 * Reads the text of a PDF in a thread, so that a hostile file can be stopped. Plain JavaScript, because Node starts a thread
 * from a file without compiling it. It gets the bytes, the pages and the URL of PDF.js, and posts one answer.
 */
import { parentPort, workerData } from 'node:worker_threads';

const LONGEST_PAGE = 1_000_000;

/** @param {{ bytes: Uint8Array, from: number, to: number, library: string }} task */
async function read({ bytes, from, to, library }) {
  const { getDocument } = await import(library);
  const loading = getDocument({
    data: bytes,
    isEvalSupported: false,
    enableXfa: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    disableAutoFetch: true,
    stopAtErrors: false,
    maxImageSize: 0,
    verbosity: 0,
  });
  const pdf = await loading.promise;
  const pages = [];
  for (let number = from; number <= Math.min(to, pdf.numPages); number++) {
    const page = await pdf.getPage(number);
    pages.push({ number, text: pageText((await page.getTextContent()).items) });
    page.cleanup();
  }
  return { pages, totalPages: pdf.numPages };
}

/** @param {readonly { str?: string, hasEOL?: boolean }[]} items */
function pageText(items) {
  let text = '';
  for (const { str, hasEOL } of items) {
    if (str !== undefined) text += str;
    if (hasEOL === true) text += '\n';
    if (text.length > LONGEST_PAGE) return `${text.slice(0, LONGEST_PAGE)}\n[the rest of this page is left out]`;
  }
  return text;
}

/** @param {unknown} message */
function post(message) {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
  parentPort?.postMessage(message);
}

read(workerData).then(
  (found) => post({ found }),
  (error) => post({ failed: { name: String(error?.name), message: String(error?.message) } }),
);
