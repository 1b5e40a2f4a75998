/** Extracts the text of PDFs with PDF.js, in a thread that is stopped if it takes too long or too much memory. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { PdfText } from '../media.ts';

export interface PdfBounds {
  readonly milliseconds: number;
  /** How much the memory of the whole process may grow meanwhile. */
  readonly memoryBytes: number;
}

const BOUNDS: PdfBounds = { milliseconds: 30_000, memoryBytes: 768 << 20 };
const CHECK_EVERY_MS = 50;

type Answer = { readonly found: PdfText } | { readonly failed: { readonly name: string; readonly message: string } };

export async function pdfText(
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  bounds: PdfBounds = BOUNDS,
): Promise<PdfText> {
  const answer = await runWorker({ bytes: bytes.slice(), from, to, library: libraryUrl() }, bounds);
  if ('found' in answer) return answer.found;
  throw failure(answer.failed);
}

function runWorker(
  task: { readonly bytes: Uint8Array<ArrayBuffer> } & Record<string, unknown>,
  bounds: PdfBounds,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pdf-worker.mjs', import.meta.url), {
      workerData: task,
      transferList: [task.bytes.buffer],
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const began = Date.now();
    const memory = process.memoryUsage.rss();
    const watch = setInterval(() => {
      if (Date.now() - began > bounds.milliseconds) end(() => reject(tooComplex('time')));
      else if (process.memoryUsage.rss() - memory > bounds.memoryBytes) end(() => reject(tooComplex('memory')));
    }, CHECK_EVERY_MS);
    const end = (settle: () => void) => {
      clearInterval(watch);
      void worker.terminate();
      settle();
    };
    worker.once('message', (answer: Answer) => end(() => resolve(answer)));
    worker.once('error', (error: NodeJS.ErrnoException) =>
      end(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooComplex('memory') : failure(error))),
    );
    worker.once('exit', () => end(() => reject(tooComplex('time'))));
  });
}

/** PDF.js as one file: next to this module in the built program, else in its package. */
function libraryUrl(): string {
  const beside = fileURLToPath(new URL('./pdfjs.mjs', import.meta.url));
  if (existsSync(beside)) return pathToFileURL(beside).href;
  try {
    const library = createRequire(import.meta.url).resolve('unpdf');
    return pathToFileURL(join(dirname(library), 'pdfjs.mjs')).href;
  } catch (error) {
    throw new Fault('READ_PDF_UNAVAILABLE', 'PDFs need the package unpdf, which is not installed', {
      hint: 'run npm install unpdf where pincer is installed',
      cause: error,
    });
  }
}

function failure({ name, message }: { readonly name: string; readonly message: string }): Fault {
  if (name === 'PasswordException')
    return new Fault('READ_PDF_ENCRYPTED', 'the PDF is encrypted and needs a password', {
      hint: 'remove the password first, for example with qpdf --decrypt',
    });
  return new Fault('READ_PDF_BROKEN', `the PDF cannot be read: ${message.split('\n')[0]!.slice(0, 200)}`, {
    hint: 'it is damaged; open it in a viewer and save it again',
  });
}

function tooComplex(what: 'time' | 'memory'): Fault {
  return new Fault('READ_PDF_TOO_COMPLEX', `the PDF takes too much ${what} to read`, {
    hint: 'request fewer pages, or convert it to text with a program such as pdftotext',
  });
}
