/** The text of PDFs, through PDF.js in a thread that is stopped when it takes too long or too much memory. */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import type { PdfText } from '../media.ts';

export interface PdfBounds {
  readonly milliseconds: number;
  /** That the whole process may grow by meanwhile. */
  readonly memoryBytes: number;
}

const BOUNDS: PdfBounds = { milliseconds: 30_000, memoryBytes: 768 << 20 };
const LOOK_EVERY_MS = 50;

type Answer = { readonly found: PdfText } | { readonly failed: { readonly name: string; readonly message: string } };

export async function pdfText(
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  bounds: PdfBounds = BOUNDS,
): Promise<PdfText> {
  const answer = await ask({ bytes: bytes.slice(), from, to, library: libraryUrl() }, bounds);
  if ('found' in answer) return answer.found;
  throw failure(answer.failed);
}

function ask(
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
      if (Date.now() - began > bounds.milliseconds) end(() => reject(tooHard('time')));
      else if (process.memoryUsage.rss() - memory > bounds.memoryBytes) end(() => reject(tooHard('memory')));
    }, LOOK_EVERY_MS);
    const end = (settle: () => void) => {
      clearInterval(watch);
      void worker.terminate();
      settle();
    };
    worker.once('message', (answer: Answer) => end(() => resolve(answer)));
    worker.once('error', (error: NodeJS.ErrnoException) =>
      end(() => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooHard('memory') : failure(error))),
    );
    worker.once('exit', () => end(() => reject(tooHard('time'))));
  });
}

/** PDF.js as one file: beside this module in the built program, else in its package. */
function libraryUrl(): string {
  const beside = fileURLToPath(new URL('./pdfjs.mjs', import.meta.url));
  if (existsSync(beside)) return pathToFileURL(beside).href;
  try {
    const library = createRequire(import.meta.url).resolve('unpdf');
    return pathToFileURL(join(dirname(library), 'pdfjs.mjs')).href;
  } catch (error) {
    throw new Fault('READ_PDF_UNAVAILABLE', 'PDFs need the package unpdf, and it is not installed', {
      hint: 'run npm install unpdf where pincer is installed',
      cause: error,
    });
  }
}

function failure({ name, message }: { readonly name: string; readonly message: string }): Fault {
  if (name === 'PasswordException')
    return new Fault('READ_PDF_ENCRYPTED', 'the PDF is encrypted and needs a password', {
      hint: 'take the password off first, with qpdf --decrypt for example',
    });
  return new Fault('READ_PDF_BROKEN', `the PDF cannot be read: ${message.split('\n')[0]!.slice(0, 200)}`, {
    hint: 'it is damaged; open it in a viewer and save it again',
  });
}

function tooHard(what: 'time' | 'memory'): Fault {
  return new Fault('READ_PDF_TOO_COMPLEX', `the PDF takes too much ${what} to read`, {
    hint: 'ask for fewer pages, or convert it to text with a program such as pdftotext',
  });
}
