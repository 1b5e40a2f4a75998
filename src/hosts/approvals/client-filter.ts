import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';

/** An SQL condition on the JSON of a column; empty without a client. Rows without a client belong to `unknown`. */
export function ofClient(column: 'body' | 'line', client: string | undefined): string {
  return client === undefined ? '' : ` AND COALESCE(${column} ->> '$.client', '${UNKNOWN_CLIENT}') = ?`;
}
