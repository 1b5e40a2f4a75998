import type { ComponentChildren } from 'preact';

interface SegmentsProps {
  readonly label: string;
  readonly items: readonly { readonly href: string; readonly current: boolean; readonly content: ComponentChildren }[];
}

/** The views of one screen, as links. */
export function Segments({ label, items }: SegmentsProps) {
  return (
    <nav class="segments" aria-label={label}>
      {items.map(({ href, current, content }) => (
        <a key={href} href={href} aria-current={current ? 'page' : undefined}>
          {content}
        </a>
      ))}
    </nav>
  );
}
