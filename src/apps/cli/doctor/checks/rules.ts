/** The configuration files and the approvals file. */
import { quoteCommand } from '../../exec/quote-command.ts';
import { type Check, fail, type Finding, ok } from '../check.ts';

export const config: Check = {
  id: 'config',
  async run({ folder, env }) {
    const [{ configProblems }, { configFiles }] = await Promise.all([
      import('../../../../config/problems.ts'),
      import('../../../../config/config-files.ts'),
    ]);
    const problems = await configProblems(folder, env);
    const files = configFiles(folder, env).map(({ path }) => path);
    if (problems.length === 0)
      return ok(files.length === 0 ? 'no configuration file; defaults apply' : `valid: ${files.join(', ')}`);
    return problems.map(({ severity, message, ocPath, file, path }): Finding => {
      const at = ocPath ?? file;
      return {
        status: severity === 'error' ? 'fail' : 'warn',
        message: at === undefined ? message : `${message} (${at})`,
        fix:
          path === undefined
            ? 'pincer config validate shows where it is'
            : quoteCommand(['pincer', 'config', 'unset', path]),
      };
    });
  },
};

export const approvals: Check = {
  id: 'approvals',
  async run({ stateDir, home }) {
    const { approvalsFileIn } = await import('../../../../hosts/gateway/approvals/approvals-file.ts');
    const file = approvalsFileIn(stateDir, { home });
    const { path } = file;
    const { broken } = file.rulesFor('*');
    if (broken !== undefined)
      return fail(
        `${path} is invalid, so every judged command is denied: ${broken}`,
        'correct the file, or replace it with pincer approvals set',
      );
    const remarks = file.remarks();
    if (remarks.length === 0) return ok(file.show().exists ? `${path} is valid` : 'the allowlist is empty');
    return remarks.map((remark) => ({
      status: 'warn',
      message: `${path}: ${remark}`,
      fix: 'pincer policy test shows details',
    }));
  },
};
