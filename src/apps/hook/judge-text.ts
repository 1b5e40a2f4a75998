/** A whole shell text by the same policy as a single pipeline: a chain is as good as the worst of its commands. */
import { judge } from '../../policy/judge.ts';
import { firstInvalidated } from '../../policy/command-order.ts';
import { BUILTINS } from '../../policy/shell/reserved.ts';
import { scanCommand } from '../../policy/shell/scan.ts';
import type { Judgement, Lookup, Rules } from '../../wire/policy.ts';

const MOST_PARTS = 32;

/**
 * Where a shell reads the text, it also answers these itself, whatever file has the name; and it finds code and variables in
 * their arguments: `printf %d 'a[$(id)]'`, `printf 7%n PATH`, `test PATH=7 -eq 7`. A path always means the file.
 */
const ANSWERED_BY_SHELLS: ReadonlySet<string> = new Set([...BUILTINS, 'printf', 'test', '[', 'private', 'r']);

/**
 * Judges a text that a shell will read. Commands that are chained by `&&`, `||`, `;` or a line end are judged one by one:
 * whoever may run each of them may run them in turn.
 */
export function judgeText(command: string, rules: Rules, lookup: Lookup, cwd: string): Judgement {
  const judgeOne = (part: string) => judge(part, rules, lookup, cwd, { builtins: ANSWERED_BY_SHELLS });
  const whole = judgeOne(command);
  if (whole.code !== 'chaining') return whole;
  const parts = partsOf(command);
  if (parts === undefined) return whole;
  const judged = parts.map(judgeOne);
  const worst = judged.find(({ code }) => code === 'deny-rule') ?? judged.find(({ verdict }) => verdict !== 'allow');
  // What deny rules could not read in the whole text stays unread, also when it stands in another part than the worst.
  const unread = whole.unknownNames === undefined ? {} : { unknownNames: whole.unknownNames };
  const stages = judged.flatMap((one) => one.stages);
  const late = firstInvalidated(
    stages.map(({ argv, binary }) => ({ words: argv, binary })),
    lookup,
  );
  if (worst !== undefined) {
    // Spans are those of the part, and a plan of the whole there is none: nothing of it may be kept.
    const { at: _, plan: __, proposal: ___, ...rest } = worst;
    return { ...rest, ...unread, stages, ...(whole.explicit === true ? { explicit: true } : {}) };
  }
  if (late >= 0)
    return {
      ...whole,
      reason: `commands before ${stages[late]!.argv[0]} may change the files that it depends on`,
      hint: 'run it as a command of its own',
      stages,
    };
  return {
    verdict: 'allow',
    code: judged[0]!.code,
    reason: `all ${judged.length} commands of the chain are allowed`,
    ...unread,
    stages,
  };
}

/** The commands of a chain; undefined where the text is more than one. The scanner stops at the operator, so it is one. */
function partsOf(command: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (let rest = command; parts.length < MOST_PARTS; ) {
    const { refusal } = scanCommand(rest);
    if (refusal?.code !== 'chaining') return [...parts, rest];
    const { start, end } = refusal.at;
    const operator = rest.slice(start, end);
    parts.push(rest.slice(0, start));
    rest = rest.slice(end);
    // A line or a semicolon may end a text; the other operators need something behind them.
    if (rest.trim() === '' && /^[;\n]$/u.test(operator)) return parts;
  }
  return undefined;
}
