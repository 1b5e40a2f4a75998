/** The BeforeTool hook of Gemini CLI, which accepts ask and deny; allow would not skip its own questions. */
import { isAbsolute } from 'node:path';
import { type HookClient, serverTool } from '../client.ts';
import { checkEvent, folderMember, textMember } from '../event.ts';
import { asks, withoutRules, reads, replaces, runs, subjectOf, type ToolForms, writesWhole } from '../subject.ts';

const SERVER_TOOLS = { client: 'gemini', separator: '_' } as const;

const FORMS: ToolForms = {
  // Gemini CLI runs commands in a terminal by default (tools.shell.enableInteractiveShell).
  run_shell_command: runs({ workdir: 'dir_path', others: ['description', 'is_background', 'delay_ms'], pty: true }),
  write_file: writesWhole('file_path', 'content'),
  replace: replaces('file_path', 'allow_multiple', 'instruction'),
  read_file: reads('file_path', 'start_line', 'end_line', 'offset', 'limit'),
  read_many_files: asks('read_many_files reads all files that match its patterns, which may contain secrets'),
  save_memory: asks('save_memory writes a file that Gemini CLI obeys'),
  ...withoutRules(`
    activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs glob google_web_search grep_search
    invoke_agent list_background_processes list_directory read_background_output update_topic
    web_fetch write_todos
  `),
};

export const gemini: HookClient = {
  question(event, start) {
    checkEvent(event, 'BeforeTool');
    const tool = textMember(event, 'tool_name');
    const subject = serverTool(SERVER_TOOLS, tool, event['tool_input']) ?? subjectOf(FORMS, tool, event['tool_input']);
    if (subject.does === 'nothing') return undefined;
    const cwd = folderMember(event, 'cwd');
    const project = start.env['GEMINI_PROJECT_DIR'];
    // Without a terminal, Gemini CLI would wait for an answer forever.
    const unattended = start.hasTerminal() ? {} : { unattended: 'Gemini CLI has no terminal, so no person is asked' };
    return { subject, cwd, project: project !== undefined && isAbsolute(project) ? project : cwd, ...unattended };
  },
  answerText: ({ decision, reason }) =>
    decision === 'allow' ? '' : `${JSON.stringify({ decision, reason, systemMessage: reason })}\n`,
};
