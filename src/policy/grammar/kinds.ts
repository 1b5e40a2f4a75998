/** What each kind of value may be. */
import { awkProblem } from '../scripts/awk.ts';
import { jqProblem } from '../scripts/jq.ts';
import { sedProblem } from '../scripts/sed.ts';

export interface Problem {
  readonly reason: string;
  readonly isCode?: true;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)[A-Za-z%]{0,3}$/;

export function problemOfValue(kind: string, text: string): Problem | undefined {
  if (kind.startsWith('enum ')) {
    const words = kind.slice('enum '.length).split(' ');
    return words.includes(text) ? undefined : { reason: `${JSON.stringify(text)} is none of ${words.join(', ')}` };
  }
  if (kind.startsWith('list ')) {
    const words = kind.slice('list '.length).split(' ');
    const other = text.split(',').find((word) => !words.includes(word));
    return other === undefined ? undefined : { reason: `${JSON.stringify(other)} is not known to be harmless` };
  }
  switch (kind) {
    case 'ref':
      return /[:+]|\.\./.test(text) ? { reason: `${JSON.stringify(text)} is no plain name` } : undefined;
    case 'num':
      return NUMBER.test(text) ? undefined : { reason: `${JSON.stringify(text)} is not a number` };
    case 'archive':
      return text.includes(':') ? { reason: `${JSON.stringify(text)} names a file on another machine` } : undefined;
    case 'format':
      return text.startsWith('+') ? undefined : { reason: `${JSON.stringify(text)} is no format` };
    case 'url':
      return /^https?:\/\//i.test(text) ? undefined : { reason: `${JSON.stringify(text)} is no web address` };
    case 'sed':
    case 'awk':
    case 'jq':
      return scriptProblem(kind, text);
    case 'none':
      return { reason: `the value ${JSON.stringify(text)} is not known to be harmless` };
    default:
      return undefined;
  }
}

const SCRIPTS = { sed: sedProblem, awk: awkProblem, jq: jqProblem };

function scriptProblem(kind: keyof typeof SCRIPTS, text: string): Problem | undefined {
  const reason = SCRIPTS[kind](text);
  return reason === undefined
    ? undefined
    : { reason: `the ${kind} script is not known to be harmless: ${reason}`, isCode: true };
}
