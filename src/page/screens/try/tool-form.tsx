import { useSignal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';
import type { ListedTool } from '../../../wire/methods/page-methods.ts';
import type { ToolResult } from '../../../wire/tool.ts';
import { Button } from '../../components/button.tsx';
import { FaultNote } from '../../components/callout.tsx';
import { HostileText } from '../../components/hostile-text.tsx';
import { linkBlocked, writeBlocked } from '../../state/link.ts';
import { call } from '../../state/server.ts';
import { AsCall } from './as-call-view.tsx';
import { argumentsOf, fieldsOf, type FormField, type FormTexts } from './form.ts';
import { FormFieldView } from './form-field.tsx';
import { ResultView } from './result-view.tsx';

interface Made {
  readonly result?: ToolResult;
  readonly error?: unknown;
}

/** The parameters of one tool as a form, and the result of the last call. */
export function ToolForm({ tool }: { readonly tool: ListedTool }) {
  // A signal: a key press right after the last letter must see it, also before the next frame is drawn.
  const texts = useSignal<FormTexts>({});
  const [isTried, setTried] = useState(false);
  const [running, setRunning] = useState<AbortController | undefined>(undefined);
  const [made, setMade] = useState<Made | undefined>(undefined);
  const form = useRef<HTMLFormElement>(null);
  const optionalFields = useRef<HTMLDetailsElement>(null);
  const fields = fieldsOf(tool.inputSchema);
  const shown = argumentsOf(fields, texts.value);
  const problems = !isTried || shown.ok ? {} : shown.problems;
  // What a call really does, its arguments decide; a viewer has the tools that never write.
  const blocked = tool.effects === 'reads' ? linkBlocked.value : writeBlocked.value;

  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const fieldView = (field: FormField) => (
    <FormFieldView
      key={field.name}
      field={field}
      text={texts.value[field.name] ?? ''}
      problem={problems[field.name]}
      onInput={(text) => {
        texts.value = { ...texts.peek(), [field.name]: text };
      }}
    />
  );

  const run = async (): Promise<void> => {
    setTried(true);
    const formed = argumentsOf(fields, texts.peek());
    if (!formed.ok) {
      // It stays open when the problem is solved: the field has the focus.
      const isOptional = optional.some(({ name }) => formed.problems[name] !== undefined);
      if (isOptional && optionalFields.current !== null) optionalFields.current.open = true;
      form.current?.querySelector<HTMLElement>(`[data-field="${Object.keys(formed.problems)[0]}"]`)?.focus();
      return;
    }
    const abort = new AbortController();
    setRunning(abort);
    setMade(undefined);
    try {
      setMade({ result: await call('tool.call', { tool: tool.name, args: formed.args, as: 'agent' }, abort.signal) });
    } catch (error) {
      setMade({ error });
    } finally {
      setRunning(undefined);
    }
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section inside of main is not a landmark
    <div class="detail" role="region" aria-label={`Tool ${tool.name}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="detail-body" tabIndex={0}>
        <div>
          <h2>
            <code>{tool.name}</code>
          </h2>
          <p class="note">
            <HostileText text={tool.description} />
          </p>
        </div>
        <form
          class="tool-form"
          ref={form}
          onSubmit={(event) => event.preventDefault()}
          onKeyDown={(event) => {
            const isLine = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey;
            if (event.key !== 'Enter' || !isLine || event.isComposing) return;
            event.preventDefault();
            if (blocked === undefined && running === undefined && !event.repeat) void run();
          }}
        >
          {required.map(fieldView)}
          {optional.length === 0 ? undefined : (
            <details ref={optionalFields} open={required.length === 0}>
              <summary>
                {optional.length} optional {optional.length === 1 ? 'parameter' : 'parameters'}
              </summary>
              {optional.map(fieldView)}
            </details>
          )}
          <div class="row">
            <Button
              kind="main"
              icon="play"
              blocked={blocked ?? (running === undefined ? undefined : 'The call is running.')}
              onPress={() => void run()}
            >
              Run
            </Button>
            {running === undefined ? undefined : <Button onPress={() => running.abort()}>Stop</Button>}
          </div>
        </form>
        {made?.error === undefined ? undefined : <FaultNote error={made.error} />}
        {made?.result === undefined ? undefined : <ResultView result={made.result} />}
        {shown.ok ? <AsCall tool={tool.name} args={shown.args} /> : undefined}
      </div>
    </div>
  );
}
