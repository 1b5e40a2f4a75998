/** Judges a shell text with several commands: the strictest judgement of its commands decides. */
import { judge } from '../../policy/judge.ts';
import { firstInvalidated, obeysFiles } from '../../policy/command-order.ts';
import { BUILTINS } from '../../policy/shell/reserved.ts';
import { scanCommand } from '../../policy/shell/scan.ts';
import type { Judgement, Lookup, Rules } from '../../wire/policy.ts';
import { forAgent } from '../../policy/hint.ts';

const MOST_PARTS = 32;

/**
 * A shell runs these names as builtins, even if a file has the name, and evaluates code and variables in their arguments:
 * `printf %d 'a[$(id)]'`, `printf 7%n PATH`, `test PATH=7 -eq 7`. A path always means the file.
 */
const SHELL_BUILTINS: ReadonlySet<string> = new Set([...BUILTINS, 'printf', 'test', '[', 'private', 'r']);

/**
 * Judges a text that a shell will parse. Commands chained by `&&`, `||`, `;` or a newline are judged one by one: an agent
 * that may run each of them may run them in sequence.
 */
export function judgeText(command: string, rules: Rules, lookup: Lookup, cwd: string): Judgement {
  const judgeOne = (part: string) => judge(part, rules, lookup, cwd, { builtins: SHELL_BUILTINS });
  const whole = judgeOne(command);
  if (whole.code !== 'chaining') return whole;
  const parts = partsOf(command);
  if (parts === undefined) return whole;
  const judged = parts.map(judgeOne);
  const worst = judged.find(({ code }) => code === 'deny-rule') ?? judged.find(({ verdict }) => verdict !== 'allow');
  // Names that deny rules could not read stay unknown, also if they are in another part than the worst.
  const unread = whole.unknownNames === undefined ? {} : { unknownNames: whole.unknownNames };
  const stages = judged.flatMap((one) => one.stages);
  const late = firstInvalidated(
    stages.map((stage) => ({ words: stage.argv, binary: stage.binary, obeysFiles: obeysFiles(stage) })),
    lookup,
  );
  if (worst !== undefined) {
    // Spans and plan belong to the part, not to the whole text.
    const { at: _, plan: __, proposal: ___, ...rest } = worst;
    return { ...rest, ...unread, stages, ...(whole.explicit === true ? { explicit: true } : {}) };
  }
  if (late >= 0)
    return {
      ...whole,
      reason: `commands before ${stages[late]!.argv[0]} may change the files that it depends on`,
      ...forAgent('run it as a separate command'),
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

/** The commands of a chain; undefined if there are too many. The scanner stops at the first operator. */
function partsOf(command: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (let rest = command; parts.length < MOST_PARTS; ) {
    const { refusal } = scanCommand(rest);
    if (refusal?.code !== 'chaining') return [...parts, rest];
    const { start, end } = refusal.at;
    const operator = rest.slice(start, end);
    parts.push(rest.slice(0, start));
    rest = rest.slice(end);
    // A newline or semicolon may end a text; the other operators need a command after them.
    if (rest.trim() === '' && /^[;\n]$/u.test(operator)) return parts;
  }
  return undefined;
}
