/** Reads text in windows, so that only counting lines depends on the size of the file. */
import type { OpenFile } from '../../hosts/files/shape.ts';
import { byMark, type Detected, detectEncoding } from '../../text/encoding/detect.ts';
import { type Encoding, requireEncoding } from '../../text/encoding/encoding.ts';
import { bytesSource, readRange } from '../../text/scan/source.ts';
import { LONGEST_KEY } from '../../text/secrets/private-keys.ts';
import { hiddenPart } from '../secrets/secrets.ts';
import type { ToolContext } from '../tool.ts';
import type { ToolResult } from '../../wire/tool.ts';
import { binaryFault, binaryPart, isMostlyNul, knownType } from './binary.ts';
import type { ReadRequest } from './request.ts';
import { allBytes, type Subject } from './subject.ts';
import { linesFor, newlinesIn, type TextSource } from './text-source.ts';
import { MOST_REDACTED, tooLargeToHide } from './too-large.ts';
import { shownText, type View, viewText } from './view.ts';

/** The maximum size for a search that proves that a file has carriage returns but no newlines. */
const MOST_FOR_RETURNS = 16 << 20;
/** In a larger file, lines are counted only if the answer needs the number. */
const MOST_TO_COUNT = 256 << 20;
/** The size of a second sample for the detection of the encoding. */
const SAMPLE = 1 << 16;
/** From this size on, line counts are remembered. */
const WORTH_KEEPING = 8 << 20;

export async function readText(subject: Subject, request: ReadRequest, context: ToolContext): Promise<ToolResult> {
  const found = await viewFile(subject, request, context);
  const { view } = found;
  if (showsKey(subject, request, view, context)) throw tooLargeToHide(subject);
  if (request.encoding === undefined && isMostlyNul(view.text))
    throw binaryPart(subject, view.details.lines?.from ?? 1);
  const hash = view.whole ? context.files.hashOf(subject.source) : undefined;
  if (hash !== undefined) {
    const isShort = subject.source.size <= (context.reads?.mostContent ?? 0);
    context.reads?.remember(subject.file.located.path, hash, isShort ? allBytes(subject) : undefined);
  }
  return textAnswer(subject, withEncodingNotice(view, found), {
    ...encodingDetails(found),
    bytes: subject.source.size,
    ...(hash === undefined ? {} : { hash }),
  });
}

/** Whether the page shows lines of a private key; only for a text that is too large to search completely. */
function showsKey({ file, source }: Subject, request: ReadRequest, { at, text }: View, context: ToolContext): boolean {
  if (source.size <= MOST_REDACTED) return false;
  const start = Math.max(0, at - LONGEST_KEY);
  const near = bytesSource(readRange(source, start, Math.min(source.size, at + 4 * text.length + LONGEST_KEY)));
  return hiddenPart([file.located.path, request.path], near, context) !== undefined;
}

async function viewFile(
  subject: Subject,
  request: ReadRequest,
  context: ToolContext,
): Promise<FoundText & { readonly view: View }> {
  const found = await openText(subject, request);
  const viewOf = (text: TextSource) =>
    viewText(text, {
      request,
      windowTokens: context.modelContextWindowTokens,
      lineCount: (needed) => lineCount(subject.file, text, needed, context),
    });
  const view = await viewOf(found.text);
  if (!found.onlyAscii || view.details.invalidBytes !== true) return { ...found, view };
  // The beginning of the file is ASCII and shows no encoding, but the requested page does.
  const sample = readRange(subject.source, view.at, Math.min(subject.source.size, view.at + SAMPLE));
  const { encoding, unsure = false } = await detectEncoding(sample, { complete: false });
  if (encoding?.unit !== 1 || encoding.name === found.text.encoding.name) return { ...found, view };
  const text = { ...found.text, encoding };
  return { ...found, text, unsure, view: await viewOf(text) };
}

export function textAnswer(subject: Subject, view: View, known: Readonly<Record<string, unknown>>): ToolResult {
  const notices = [...subject.notices, ...view.notices];
  return {
    content: [{ type: 'text', text: shownText({ text: view.text, notices }) }],
    details: { ...subject.details, kind: 'text', ...view.details, ...known },
  };
}

export interface FoundText {
  readonly text: TextSource;
  readonly bom: boolean;
  /** The sample has only ASCII, and the file is longer than the sample. */
  readonly onlyAscii: boolean;
  /** Another encoding is about as likely. */
  readonly unsure: boolean;
}

export function encodingDetails({ text, bom, unsure }: FoundText): Readonly<Record<string, unknown>> {
  return { encoding: text.encoding.name, ...(unsure ? { encodingConfidence: 'low' } : {}), bom };
}

/** Warns about a guessed encoding, because wrong letters are hard to recognise. */
export function withEncodingNotice(view: View, { text, unsure }: FoundText): View {
  if (!unsure) return view;
  const notice = `[Encoding guessed as ${text.encoding.name}. If letters look wrong, read again with encoding.]`;
  return { ...view, notices: [notice, ...view.notices] };
}

/** Uses the requested or the detected encoding; throws for a file that is not text. */
export async function openText(subject: Subject, request: ReadRequest): Promise<FoundText> {
  const { encoding, bom, onlyAscii, unsure = false } = await encodingOf(subject, request);
  const text = { source: subject.source, encoding, begin: bom, newline: 10 as const };
  return {
    text: hasOnlyReturns(text, subject.head) ? { ...text, newline: 13 } : text,
    bom: bom > 0,
    onlyAscii,
    unsure,
  };
}

async function encodingOf(subject: Subject, request: ReadRequest): Promise<Detected & { readonly encoding: Encoding }> {
  const { head, source } = subject;
  if (request.encoding !== undefined) {
    const marked = byMark(head);
    const asked = requireEncoding(request.encoding);
    // `utf-16` takes the byte order from the mark.
    const byTheMark = /^utf-?16$/iu.test(request.encoding) && marked?.encoding?.unit === 2;
    const encoding = byTheMark ? (marked.encoding ?? asked) : asked;
    return { encoding, bom: marked?.encoding?.name === encoding.name ? marked.bom : 0, onlyAscii: false };
  }
  const complete = head.length >= source.size;
  const isKnownBinary = async () => (await knownType(head)) !== undefined;
  const detected = await detectEncoding(head, { complete, isKnownBinary });
  const { encoding, onlyAscii } = detected;
  if (encoding === undefined) throw await binaryFault(subject);
  return { ...detected, encoding, onlyAscii: onlyAscii && !complete };
}

/** Lines of old Macintosh files end with a carriage return only. */
function hasOnlyReturns(text: TextSource, head: Uint8Array): boolean {
  if (!head.includes(13)) return false;
  const { source, encoding } = text;
  const sample = encoding.decode(head);
  if (!sample.includes('\r') || sample.includes('\n') || source.size > MOST_FOR_RETURNS) return false;
  return !encoding.decode(readRange(source, 0, source.size)).includes('\n');
}

async function lineCount(
  file: OpenFile,
  text: TextSource,
  needed: boolean,
  context: ToolContext,
): Promise<number | undefined> {
  const { size } = text.source;
  const plain = text.encoding.unit === 1 && text.newline === 10;
  const counts = plain && size >= WORTH_KEEPING ? context.files.lineCounts() : undefined;
  const known = counts?.recall(file.stamp);
  if (known !== undefined) return linesFor(text, known);
  if (!needed && size > MOST_TO_COUNT) return undefined;
  const newlines = await newlinesIn(text, context.signal);
  counts?.remember(file.stamp, newlines);
  return linesFor(text, newlines);
}
