/** What the benchmark of policy uses, as one module. */
export { judgeCall } from '../../src/policy/judge.ts';
export { environmentOf } from '../../src/policy/environment.ts';
export { WITHOUT_PAGERS } from '../../src/policy/environment-names.ts';
export { ruleForCommand } from '../../src/policy/rules/rule-for-command.ts';
export { createLookup } from '../../src/hosts/process/programs/which.ts';
export { SNIPPETS } from '../../tests/policy/tables/snippets.ts';
export { dangerousOptions } from '../../tests/policy/dangerous-options.ts';
export { decide } from '../../src/policy/decide.ts';
export { runsInSandbox } from '../../src/policy/on-miss.ts';
