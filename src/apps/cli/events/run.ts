/** `pincer events`: prints notices or the audit log. */
import { shapeOf } from '../definition.ts';
import { actorText, isOfClient } from '../../../wire/actor.ts';
import type { AuditEntry } from '../../../wire/approval.ts';
import type { Notice } from '../../../wire/notice.ts';
import { usage, readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';
import { withGateway } from '../gateway.ts';
import { runCommand } from '../run-command.ts';
import { clientFilter } from '../toolbox-options.ts';
import { jsonOutput, type Output, unfiltered } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';
import { ifRecorded } from '../if-running.ts';
import { foreignText } from '../../terminal/filter/foreign-output.ts';
import { visibleLine } from '../../terminal/visible.ts';

const SHAPE = shapeOf(definition);

export function runEvents(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    const { flags, options } = readArguments(SHAPE, argv);
    const after = options['after'] === undefined ? 0 : number('--after', options['after']);
    const limit = options['limit'] === undefined ? {} : { limit: number('--limit', options['limit']) };
    const client = options['client'] === undefined ? undefined : clientFilter(SHAPE, options['client']);
    // A carriage return in program output would overwrite the start of the line.
    const raw = flags.has('raw');
    const line = (text: string): string => (raw ? text : foreignText(text.replaceAll('\r', visibleLine), output));
    const terminal = raw ? unfiltered(output) : output;
    const show = (event: Notice | AuditEntry): void => {
      if (json) jsonOutput(output).out(`${JSON.stringify(event)}\n`);
      else terminal.out('event' in event ? auditLine(event, output.colour) : noticeLines(event, output.colour, line));
    };
    const showOwn = (event: Notice | AuditEntry): void => {
      if (client === undefined || isOfClient(event, client)) show(event);
    };
    const { query } = options;
    if (query !== undefined && !flags.has('audit')) throw usage(SHAPE, '--query needs --audit');
    if (query !== undefined && flags.has('follow')) throw usage(SHAPE, '--follow and --query exclude each other');
    if (flags.has('follow')) {
      const { signal } = new AbortController();
      await withGateway((gateway) =>
        flags.has('audit')
          ? gateway.auditEntries({ after }, showOwn, signal)
          : gateway.notices({ after }, showOwn, signal),
      );
    } else {
      const asked = { after, ...limit, ...(client === undefined ? {} : { client }) };
      const searched = { ...asked, ...(query === undefined ? {} : { q: query }) };
      const events = await ifRecorded<readonly (Notice | AuditEntry)[]>('records', (gateway) =>
        flags.has('audit') ? gateway.call('audit.list', searched) : gateway.call('notice.list', asked),
      );
      for (const event of events ?? []) show(event);
    }
    return 0;
  });
}

/** Program output follows the first line of a notice, and is indented below it. */
export function noticeLines(
  notice: Notice,
  colour: boolean,
  shownOutput: (line: string) => string = visibleLine,
): string {
  const [first = '', ...rest] = notice.text.split('\n');
  const below = rest.map((line) => `    ${shownOutput(line)}\n`).join('');
  return `${linePrefix(notice, notice.kind, colour)} ${visibleLine(first)}\n${below}`;
}

export function auditLine(entry: AuditEntry, colour: boolean): string {
  const { event, command, by, approvalId, sessionId, details } = entry;
  const parts = [
    command,
    ...(sessionId === undefined ? [] : [`session=${sessionId}`]),
    ...(approvalId === undefined ? [] : [`approval=${approvalId.slice(0, 8)}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
    JSON.stringify(details),
  ].filter((word) => word !== undefined);
  return `${linePrefix(entry, event, colour)} ${visibleLine(parts.join('  '))}\n`;
}

function linePrefix(event: Notice | AuditEntry, kind: string, colour: boolean): string {
  const style = paint(colour);
  const when = new Date(event.time).toISOString().slice(11, 19);
  return `${style.quiet(`${event.seq} ${when}`)} ${style.address(kind)} ${visibleLine(actorText(event))}:`;
}

function number(name: string, text: string): number {
  if (!/^\d{1,15}$/u.test(text)) throw usage(SHAPE, `${name} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}
