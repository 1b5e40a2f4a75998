import { CopyButton, Snippet } from '../../components/copy.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { commandLine, mcpRequest } from './as-call.ts';

/** The call to copy: for a terminal, and for an MCP client. */
export function AsCall({ tool, args }: { readonly tool: string; readonly args: unknown }) {
  const request = mcpRequest(tool, args);
  return (
    <section aria-label="Copy as call">
      <h3>Copy as call</h3>
      <Snippet text={commandLine(tool, args)} />
      <div class="snippet">
        <code dir="ltr" class="request">
          <HostileText text={request} lines />
        </code>
        <CopyButton text={request} what="the MCP request" />
      </div>
    </section>
  );
}
