/** `pincer audit verify`: verifies the hash chain of the audit log. */
import type { AuditCheck } from '../../../wire/approval.ts';
import { shapeOf, unknownVerb } from '../definition.ts';
import { runCommand } from '../run-command.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { ifRecorded } from '../if-running.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';

const VERIFY = shapeOf(definition, 'verify');
const FORMS = ['--json', '--human'];
const NOTHING: AuditCheck = { ok: true, rows: 0, removedUpTo: 0, last: 0, hash: '' };

export function runAudit(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return runCommand(definition, argv, output, async () => {
    // Flags may precede the verb.
    const at = argv.findIndex((arg) => !FORMS.includes(arg));
    if (argv[at] !== 'verify') throw unknownVerb(definition, argv[at] ?? '');
    readArguments(VERIFY, argv.toSpliced(at, 1));
    const check = (await ifRecorded('records', (client) => client.call('audit.verify', {}))) ?? NOTHING;
    if (json) jsonOutput(output).out(`${JSON.stringify(check)}\n`);
    else output.out(checkText(check));
    return check.ok ? 0 : 1;
  });
}

export function checkText(check: AuditCheck): string {
  if (!check.ok) {
    return `the chain is broken at row ${check.broken}: the row is missing or was changed (intact rows before it: ${check.rows})\n`;
  }
  if (check.rows === 0 && check.last === 0) return 'the audit log is empty\n';
  const removed = check.removedUpTo === 0 ? '' : `; rows up to ${check.removedUpTo} were removed by age or size`;
  const rows = check.rows === 1 ? '1 row is intact' : `${check.rows} rows are intact`;
  return `${rows}, up to row ${check.last} (hash ${check.hash})${removed}\n`;
}
