import { useEffect, useRef, useState } from 'preact/hooks';
import { isPhone } from '../../phone.ts';
import { type Column, HeaderCells } from './table.tsx';
import { rowWindow } from './window.ts';

interface VirtualTableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly count: number;
  /** The row at an index; undefined where it is not loaded. */
  readonly rowAt: (index: number) => R | undefined;
  readonly keyOf: (row: R) => string;
  /** Called when rows come into view, so that they can be loaded. */
  readonly onView?: (first: number, end: number) => void;
}

/** As `--row-height` in tokens.css and, for a phone, in parts/media.css. */
const ROW_HEIGHT = 34;
const PHONE_ROW_HEIGHT = 58;

/** Rows of equal height, of which only those near the view are in the document. On a phone a row has two lines. */
export function VirtualTable<R>({ label, columns, count, rowAt, keyOf, onView }: VirtualTableProps<R>) {
  const element = useRef<HTMLElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const rowHeight = isPhone() ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const { first, end } = rowWindow(count, rowHeight, view.top, view.height);
  useEffect(() => onView?.(first, end), [first, end]);
  useEffect(() => {
    const table = element.current!;
    const measure = (): void => setView({ top: table.scrollTop, height: table.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(table);
    table.addEventListener('scroll', measure, { passive: true });
    return () => {
      observer.disconnect();
      table.removeEventListener('scroll', measure);
    };
  }, []);
  const indexes = Array.from({ length: end - first }, (_, i) => first + i);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="virtual-table" ref={element} aria-label={label} tabIndex={0}>
      <table aria-label={label} aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <HeaderCells columns={columns} />
          </tr>
        </thead>
        <tbody>
          <Spacer height={first * rowHeight} />
          {indexes.map((index) => {
            const row = rowAt(index);
            return (
              <tr key={row === undefined ? `row ${index}` : keyOf(row)} aria-rowindex={index + 2}>
                {columns.map(({ name, cell }) => (
                  <td key={name}>{row === undefined ? '' : cell(row)}</td>
                ))}
              </tr>
            );
          })}
          <Spacer height={(count - end) * rowHeight} />
        </tbody>
      </table>
    </section>
  );
}

/** As high as the rows that are not in the document. */
function Spacer({ height }: { readonly height: number }) {
  return (
    <tr class="spacer" aria-hidden="true">
      <td ref={(cell) => cell?.style.setProperty('block-size', `${height}px`)} />
    </tr>
  );
}
