import { Readable } from 'node:stream';
import { cell } from '../../users/export/csv-cells.ts';
import type { ImportDocument, RejectDocument } from '../imports.model.ts';
import { splitCells } from '../lines/csv-cells.ts';

const ROW_END = '\r\n';

/**
 * Writes rejected lines as CSV: the number of the line, the reason, and the columns of the file, so
 * that the lines can be corrected and imported again. A line that has not the columns of the file
 * is in the first of them as it is.
 */
export function rejectsAsCsv(
  { settings, layout }: Pick<ImportDocument, 'settings' | 'layout'>,
  rejects: AsyncIterable<RejectDocument>,
): Readable {
  const isCsv = settings.format === 'csv' && layout !== undefined;
  const columns = isCsv ? layout.columns : ['text'];

  function rowOf({ line, reason, row = '' }: RejectDocument): string {
    const cells = isCsv ? splitCells(row, layout.delimiter) : [row];
    const values = cells.length === columns.length ? cells : [row];
    return [String(line), reason, ...values].map(cell).join(',') + ROW_END;
  }

  async function* rows(): AsyncGenerator<string> {
    yield ['line', 'reason', ...columns].map(cell).join(',') + ROW_END;
    for await (const reject of rejects) yield rowOf(reject);
  }
  return Readable.from(rows(), { objectMode: false, highWaterMark: 64 * 1024 });
}
