import { check } from '../../../wire/schema.ts';
import type { Content, ToolResult } from '../../../wire/tool.ts';
import { Callout } from '../../components/callout.tsx';
import { Chip } from '../../components/chip.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { pathTo } from '../../router.ts';
import { pendingDetails } from './form.ts';

const PENDING = 'approval-pending';

/** The result as the agent gets it: content for the model, and details for programs. */
export function ResultView({ result }: { readonly result: ToolResult }) {
  return (
    <section aria-label="Result" class="result">
      <div class="row">
        <h3>Result</h3>
        <Chip {...labelOf(result)}>{labelOf(result).text}</Chip>
      </div>
      <Pending result={result} />
      {result.content.map((part, i) => (
        <Part key={i} part={part} />
      ))}
      <details>
        <summary>Details, for programs</summary>
        <Block text={JSON.stringify(result.details, null, 2)} label="Details" />
      </details>
    </section>
  );
}

function labelOf({ isError, details }: ToolResult) {
  if (isError === true) return { tone: 'no', icon: 'no', text: 'Error' } as const;
  if (details['status'] === PENDING) return { tone: 'ask', icon: 'ask', text: 'Waits' } as const;
  return { tone: 'ok', icon: 'ok', text: 'Done' } as const;
}

/** A question of policy: the call did not run yet, and a person answers it in Approvals. */
function Pending({ result: { details } }: { readonly result: ToolResult }) {
  const { status, approvalSlug, approvalId, sessionId } = check(pendingDetails, details, 'details');
  const approval = approvalSlug ?? approvalId;
  if (status === PENDING && approval !== undefined)
    return (
      <Callout tone="ask" icon="ask" role="status">
        <b>It waits for an answer, as it would for the agent.</b>
        <span class="note">
          <a href={pathTo('approvals', approval)}>Answer it in Approvals</a>
        </span>
      </Callout>
    );
  if (sessionId === undefined) return undefined;
  return (
    <p class="note">
      <a href={pathTo('sessions', sessionId)}>Show its session</a>
    </p>
  );
}

/** Types that a browser shows without running anything. */
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

function Part({ part }: { readonly part: Content }) {
  if (part.type === 'text') return <Block text={part.text} label="Text for the model" />;
  if (!SHOWN_IMAGES.has(part.mimeType)) return <p class="note">An image of another type.</p>;
  return <img class="result-image" src={`data:${part.mimeType};base64,${part.data}`} alt="From the tool" />;
}

function Block({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="result-text" aria-label={label} tabIndex={0} dir="ltr">
      <HostileText text={text} lines />
    </section>
  );
}
