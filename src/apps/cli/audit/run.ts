/** `pincer audit verify`: whether the audit log is the one that was written. */
import type { AuditCheck } from '../../../wire/approval.ts';
import { helpOf, shapeOf, unknownVerb } from '../definition.ts';
import { gatewayCommand } from '../gateway.ts';
import { jsonOutput, type Output } from '../../terminal/output.ts';
import { ifRecorded } from '../if-running.ts';
import { readArguments, wantsJson } from '../arguments.ts';
import { definition } from './definition.ts';

const VERIFY = shapeOf(definition, 'verify');
const FORMS = ['--json', '--human'];
const NOTHING: AuditCheck = { ok: true, rows: 0, removedUpTo: 0, last: 0, hash: '' };

export function runAudit(argv: readonly string[], output: Output): Promise<number> {
  const json = wantsJson(argv, output.isTerminal);
  return gatewayCommand(argv, output, { help: () => helpOf(definition) }, async () => {
    // Flags may stand before the verb.
    const at = argv.findIndex((arg) => !FORMS.includes(arg));
    if (argv[at] !== 'verify') throw unknownVerb(definition, argv[at] ?? '');
    readArguments(VERIFY, argv.toSpliced(at, 1));
    const check = (await ifRecorded('records', (client) => client.call('audit.verify', {}))) ?? NOTHING;
    if (json) jsonOutput(output).out(`${JSON.stringify(check)}\n`);
    else output.out(checkText(check));
    return check.ok ? 0 : 1;
  });
}

/** The result for a person. */
export function checkText(check: AuditCheck): string {
  if (!check.ok) {
    return `broken at row ${check.broken}: it is missing, or was changed since it was written (rows before it that hold: ${check.rows})\n`;
  }
  if (check.rows === 0 && check.last === 0) return 'nothing is recorded yet\n';
  const removed = check.removedUpTo === 0 ? '' : `; rows up to ${check.removedUpTo} were removed by age or size`;
  const rows = check.rows === 1 ? '1 row holds' : `${check.rows} rows hold`;
  return `${rows}, up to row ${check.last} (hash ${check.hash})${removed}\n`;
}
