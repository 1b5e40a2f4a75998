/**
 * The PreToolUse hook of Codex. It accepts only deny: Codex treats allow and ask as a failed hook and runs the tool. So an
 * allowed call gets no answer, and a call that would ask is denied.
 */
import { listPatch, pathVariants } from '../../../text/patch/list-patch.ts';
import { type HookClient, serverTool } from '../client.ts';
import { checkEvent, folderMember, textMember } from '../event.ts';
import { withoutRules, parameter, reads, runs, subjectOf, type ToolForm, type ToolForms } from '../subject.ts';

/** The paths of a patch, from the parser of pincer's own tool. */
const applyPatch: ToolForm = {
  parameters: ['command'],
  subject(input) {
    const operations = listPatch(parameter(input, 'command'));
    const named = operations.flatMap(({ path, moveTo }) => (moveTo === undefined ? [path] : [path, moveTo]));
    return { does: 'write', paths: named.flatMap(pathVariants) };
  },
};

const SERVER_TOOLS = { client: 'codex', separator: '__' } as const;

const FORMS: ToolForms = {
  // Codex sends input to a running command without calling its hook, and the event does not show whether there is a terminal.
  Bash: runs({ pty: true }),
  apply_patch: applyPatch,
  view_image: reads('path', 'detail'),
  ...withoutRules(`
    close_agent create_goal get_goal list_mcp_resource_templates list_mcp_resources read_mcp_resource request_user_input
    resume_agent send_input spawn_agent tool_search update_goal update_plan wait wait_agent web_search
  `),
};

const UNATTENDED = "Codex cannot ask a person for a hook; pincer's exec asks if tools.exec.host is gateway";

export const codex: HookClient = {
  unattended: UNATTENDED,
  question(event, { cwd: project }) {
    checkEvent(event, 'PreToolUse');
    const tool = textMember(event, 'tool_name');
    const subject = serverTool(SERVER_TOOLS, tool, event['tool_input']) ?? subjectOf(FORMS, tool, event['tool_input']);
    if (subject.does === 'nothing') return undefined;
    // The event has the folder of the command, which the agent chooses; Codex starts the hook itself in the project folder.
    return {
      subject,
      cwd: folderMember(event, 'cwd'),
      project,
      unattended: UNATTENDED,
    };
  },
  answerText({ decision, reason }) {
    if (decision === 'allow') return '';
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    };
    return `${JSON.stringify({ hookSpecificOutput })}\n`;
  },
};
