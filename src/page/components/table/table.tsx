import type { ComponentChildren } from 'preact';

export interface Column<R> {
  readonly name: string;
  readonly cell: (row: R) => ComponentChildren;
  /** Keeps its content on one line. */
  readonly narrow?: boolean;
  /** Which way the rows are sorted by this column. */
  readonly sort?: 'ascending' | 'descending';
}

interface TableProps<R> {
  readonly label: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly keyOf: (row: R) => string;
}

/** A real table, whose rows become stacks on a phone. For thousands of rows, use `VirtualTable`. */
export function Table<R>({ label, columns, rows, keyOf }: TableProps<R>) {
  return (
    <table class="stack" aria-label={label}>
      <thead>
        <tr>
          <HeaderCells columns={columns} />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, cell, narrow }) => (
              <td key={name} data-label={name} class={narrow === true ? 'narrow' : undefined}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function HeaderCells<R>({ columns }: { readonly columns: readonly Column<R>[] }) {
  return columns.map(({ name, sort }) => (
    <th key={name} scope="col" aria-sort={sort}>
      {name}
    </th>
  ));
}
