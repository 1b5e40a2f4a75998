/** What the operator said: the files of configuration, and the approvals file. */
import { commandText } from '../../exec/quote.ts';
import { type Check, fail, type Finding, ok } from '../check.ts';

export const config: Check = {
  id: 'config',
  async look({ folder, env }) {
    const [{ configProblems }, { configPlaces }] = await Promise.all([
      import('../../../../config/problems.ts'),
      import('../../../../config/places.ts'),
    ]);
    const problems = await configProblems(folder, env);
    const files = configPlaces(folder, env).map(({ path }) => path);
    if (problems.length === 0)
      return ok(files.length === 0 ? 'no file; the defaults hold' : `valid: ${files.join(', ')}`);
    return problems.map(({ severity, message, ocPath, file, path }): Finding => {
      const at = ocPath ?? file;
      return {
        status: severity === 'error' ? 'fail' : 'warn',
        message: at === undefined ? message : `${message} (${at})`,
        fix:
          path === undefined
            ? 'pincer config validate shows it in its place'
            : commandText(['pincer', 'config', 'unset', path]),
      };
    });
  },
};

export const approvals: Check = {
  id: 'approvals',
  async look({ stateDir, home }) {
    const { approvalsFileIn } = await import('../../../../hosts/gateway/approvals/approvals-file.ts');
    const file = approvalsFileIn(stateDir, { home });
    const { path } = file;
    const { broken } = file.rulesFor('*');
    if (broken !== undefined)
      return fail(
        `${path} is not used, so every judged command is denied: ${broken}`,
        'correct it by hand, or with pincer approvals set',
      );
    const remarks = file.remarks();
    if (remarks.length === 0) return ok(file.show().exists ? `${path} is valid` : 'nothing was allowed for good yet');
    return remarks.map((remark) => ({
      status: 'warn',
      message: `${path}: ${remark}`,
      fix: 'pincer policy test says more',
    }));
  },
};
