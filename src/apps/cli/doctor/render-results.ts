import type { Paint } from '../../terminal/paint.ts';
import { visibleLine } from '../../terminal/visible.ts';
import type { CheckResult, CheckStatus } from './check.ts';

const ID = 14;

export function renderResults(results: readonly CheckResult[], style: Paint): string {
  const marks: Readonly<Record<CheckStatus, string>> = {
    ok: style.good('ok  '),
    warn: style.warning('warn'),
    fail: style.bad('FAIL'),
    skip: style.quiet('skip'),
  };
  const lines = results.map(({ id, status, message, fix, alert, fixed }) => {
    const text = alert === true ? style.bad(visibleLine(message)) : visibleLine(message);
    const first = `${marks[status]}  ${id.padEnd(ID)}${text}\n`;
    if (fix === undefined || (status === 'ok' && fixed !== true)) return first;
    return `${first}${' '.repeat(6 + ID)}${fixed === true ? style.good('fixed:') : 'fix:'} ${visibleLine(fix)}\n`;
  });
  return `${lines.join('')}\n${summary(results)}\n`;
}

function summary(results: readonly CheckResult[]): string {
  const count = (status: CheckStatus): number => results.filter((result) => result.status === status).length;
  const fixed = results.filter((result) => result.fixed === true).length;
  const fixedText = fixed === 0 ? '' : `, ${fixed} of them fixed now`;
  return `${count('ok')} ok${fixedText}; ${counted(count('warn'), 'warning')}; ${counted(count('fail'), 'failure')}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
