/** The PreToolUse hook of Claude Code, which accepts allow, ask and deny. */
import { isAbsolute } from 'node:path';
import { shownText } from '../../../policy/explain.ts';
import { type HookClient, serverTool } from '../client.ts';
import { checkEvent, folderMember, isMembers, type Members, notAnEvent, textMember } from '../event.ts';
import {
  asks,
  withoutRulesFor,
  withoutRules,
  parameter,
  reads,
  replacement,
  replaces,
  runs,
  subjectOf,
  type ToolForm,
  type ToolForms,
  writesWhole,
} from '../subject.ts';

const multiEdit: ToolForm = {
  parameters: ['file_path', 'edits'],
  subject(input) {
    const { edits } = input;
    if (!Array.isArray(edits) || !edits.every(isMembers)) throw notAnEvent('tool_input.edits is not a list of objects');
    const replacements = edits.map((edit: Members) => replacement(edit, 'replace_all'));
    return { does: 'write', paths: [parameter(input, 'file_path')], content: { replacements } };
  },
};

const notebookEdit: ToolForm = {
  parameters: ['notebook_path', 'new_source', 'cell_id', 'cell_type', 'edit_mode'],
  subject: (input) => ({ does: 'write', paths: [parameter(input, 'notebook_path')] }),
};

/**
 * Tool calls of a subagent reach the hook too. Other parameters are not listed: a worktree would run git, and another
 * permission mode would skip questions.
 */
const agent = withoutRulesFor('description prompt subagent_type model run_in_background resume name max_turns');

const RUNS_COMMANDS = 'can run commands from its file while loading, without calling the hook';

const SERVER_TOOLS = { client: 'claude-code', separator: '__' } as const;

const FORMS: ToolForms = {
  Bash: runs({
    others: ['description', 'timeout', 'run_in_background'],
    asks: { dangerouslyDisableSandbox: 'the command would run without the sandbox of Claude Code' },
  }),
  Monitor: runs({ others: ['description', 'timeout_ms', 'persistent'] }),
  Write: writesWhole('file_path', 'content'),
  Edit: replaces('file_path', 'replace_all'),
  MultiEdit: multiEdit,
  NotebookEdit: notebookEdit,
  Read: reads('file_path', 'offset', 'limit', 'pages'),
  NotebookRead: reads('notebook_path', 'cell_id'),
  Agent: agent,
  Task: agent,
  Skill: asks(`a skill ${RUNS_COMMANDS}`),
  SlashCommand: asks(`a command of Claude Code ${RUNS_COMMANDS}`),
  LSP: asks('LSP starts a language server, which may run code of the project'),
  ...withoutRules(`
    AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode ExitPlanMode Glob Grep KillShell LS
    ListAgents ListMcpResourcesTool ReadMcpResourceTool ReportFindings ScheduleWakeup SendMessage StructuredOutput
    TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch
  `),
};

/** In these modes a question of a hook reaches a person. In others Claude Code was observed to answer yes itself. */
const ASKING = new Set(['default', 'acceptEdits', 'plan']);

export const claudeCode: HookClient = {
  question(event, { env }) {
    checkEvent(event, 'PreToolUse');
    const tool = textMember(event, 'tool_name');
    const mode = event['permission_mode'];
    if (mode !== undefined && typeof mode !== 'string') throw notAnEvent('permission_mode is not a string');
    const subject = serverTool(SERVER_TOOLS, tool, event['tool_input']) ?? subjectOf(FORMS, tool, event['tool_input']);
    if (subject.does === 'nothing') return undefined;
    const cwd = folderMember(event, 'cwd');
    const project = env['CLAUDE_PROJECT_DIR'];
    const unattended =
      mode === undefined || ASKING.has(mode)
        ? {}
        : { unattended: `no person is asked in the permission mode ${shownText(mode)}` };
    return { subject, cwd, project: project !== undefined && isAbsolute(project) ? project : cwd, ...unattended };
  },
  answerText({ decision, reason }) {
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: decision,
      permissionDecisionReason: reason,
    };
    return `${JSON.stringify({ hookSpecificOutput })}\n`;
  },
};
