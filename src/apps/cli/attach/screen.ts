/** Shows the screen of a session in this terminal, and restores the terminal afterwards. */
import type { Caller } from '../../../wire/exec.ts';
import type { Screen } from '../../../wire/session.ts';
import type { Client } from '../../client/socket.ts';
import { terminalSize } from '../exec/terminal.ts';
import { type Output, unfiltered } from '../../terminal/output.ts';
import { visibleLine } from '../../terminal/visible.ts';

const ESCAPE = '\u001b[';
const ALTERNATE_ON = `${ESCAPE}?1049h`;
/** Modes that a program may have enabled: alternate screen, mouse, bracketed paste, application keys, colours. */
const ALL_OFF = ['?1049l', '?1000l', '?1002l', '?1003l', '?1006l', '?2004l', '?1l', '?25h', '0m'];

interface AttachedScreen {
  readonly client: Client;
  readonly caller: Caller;
  readonly session: { readonly id: string };
  readonly output: Output;
}

/** Draws the screen, makes a full-screen program redraw it, and returns the position to follow from. */
export async function enterScreen({ client, caller, session, output }: AttachedScreen): Promise<number> {
  const screen = await client.call('session.screen', { caller, sessionId: session.id });
  unfiltered(output).out(paintedScreen(screen));
  const size = terminalSize();
  // Programs redraw when the size changes. If both sizes are equal, a temporary other size triggers that.
  if (
    screen.alternate &&
    size !== undefined &&
    size.cols === screen.size.cols &&
    size.rows === screen.size.rows &&
    size.rows > 2
  )
    await client.call('session.resize', { caller, sessionId: session.id, size: { ...size, rows: size.rows - 1 } });
  return screen.session.bytes;
}

export function paintedScreen({ lines, cursor, alternate }: Pick<Screen, 'lines' | 'cursor' | 'alternate'>): string {
  const rows = lines.map((line, row) => `${ESCAPE}${row + 1};1H${visibleLine(line)}`);
  const start = `${alternate ? ALTERNATE_ON : ''}${ESCAPE}H${ESCAPE}2J`;
  return `${start}${rows.join('')}${ESCAPE}${cursor.row + 1};${cursor.col + 1}H`;
}

export function leaveScreen(output: Output): void {
  unfiltered(output).out(`${ALL_OFF.map((code) => `${ESCAPE}${code}`).join('')}\u001b>\r\n`);
}
