/** The part of a query that keeps only rows of one client. */
import { UNKNOWN_CLIENT } from '../../wire/client-name.ts';

/** A condition with one parameter on the JSON of a column; empty without a client. Rows without a client are of `unknown`. */
export function ofClient(column: 'body' | 'line', client: string | undefined): string {
  return client === undefined ? '' : ` AND COALESCE(${column} ->> '$.client', '${UNKNOWN_CLIENT}') = ?`;
}
