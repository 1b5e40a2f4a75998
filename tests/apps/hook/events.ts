/** Events as the clients wrote them when they were recorded: Claude Code 2.1.325, Codex 0.166.0, Gemini CLI 0.61.0. */
import type { Members } from '../../../src/apps/hook/event.ts';

const ID = '3be2d5a7-ae22-4807-9519-7f92f3bfc029';

export function claudeEvent(tool: string, input: object, cwd: string, mode = 'default'): Members {
  return {
    session_id: ID,
    transcript_path: `/home/me/.claude/projects/-home-me-project/${ID}.jsonl`,
    cwd,
    prompt_id: '759e9430-bea5-4a2d-8572-bfd1ff674232',
    permission_mode: mode,
    effort: { level: 'medium' },
    hook_event_name: 'PreToolUse',
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'toolu_1',
  };
}

export function codexEvent(tool: string, input: object, cwd: string, mode = 'bypassPermissions'): Members {
  return {
    session_id: '01a1e9c3-9055-76d2-8831-dd5043e9b0c4',
    turn_id: '01a1e9c3-9124-77a3-9451-ce22dc0324ea',
    transcript_path: '/home/me/.codex/sessions/2026/11/17/rollout-2026-11-17T13-47-50-01a1e9c3.jsonl',
    cwd,
    hook_event_name: 'PreToolUse',
    model: 'gpt-5.5',
    permission_mode: mode,
    tool_name: tool,
    tool_input: input,
    tool_use_id: 'call_1',
  };
}

export function geminiEvent(tool: string, input: object, cwd: string): Members {
  return {
    session_id: ID,
    transcript_path: '/home/me/.gemini/tmp/project/chats/session-2026-11-17T13-57-1b1c30a0.jsonl',
    cwd,
    hook_event_name: 'BeforeTool',
    timestamp: '2026-11-17T13:58:00.115Z',
    tool_name: tool,
    tool_input: input,
  };
}
