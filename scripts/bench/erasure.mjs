// npm run bench -- --erasure: the erasure of a person who is in all lines of the file of an import,
// and of one who is in none of them.
import { withService } from './fixture.mjs';

const APP = 'erasure';
const PART_BYTES = 4 * 1024 * 1024;
const HEADER = 'email,data.name\n';

/** Measures; resolves with the results and a Markdown table. */
export default async function measureErasure({ records: lines, progress }) {
  return withService(progress, async ({ admin }) => {
    await admin('POST', '/auth/apps', { sourceAppId: APP });
    const { id } = await admin('POST', `/auth/imports?sourceAppId=${APP}`, {});
    const file = Buffer.from(
      HEADER + Array.from({ length: lines }, (_, n) => `ada@example.com,Ada Lovelace ${n}\n`).join(''),
    );
    for (let sent = 0; sent < file.length; sent += PART_BYTES) {
      const part = file.subarray(sent, sent + PART_BYTES);
      const headers = { 'content-range': `bytes ${sent}-${sent + part.length - 1}/*` };
      await admin('PUT', `/auth/imports/${id}/content?sourceAppId=${APP}`, part, { headers });
    }
    const results = { lines, megabytes: Math.round(file.length / 1024 / 1024) };
    for (const [name, email] of [
      ['in no line', 'eve@example.com'],
      ['in all lines', 'ada@example.com'],
    ]) {
      const startedAt = performance.now();
      const { erased } = await admin('POST', `/auth/people/erase?sourceAppId=${APP}`, { email });
      results[name] = { ms: Math.round(performance.now() - startedAt), erased: erased.importLines };
      progress(`${name}: ${JSON.stringify(results[name])}`);
    }
    return { results, table: tableOf(results) };
  });
}

function tableOf({ lines, megabytes, ...persons }) {
  return [
    `| Person, of ${lines} lines (${megabytes} MB) | Overwritten lines | Time of the answer |`,
    '|---|---|---|',
    ...Object.entries(persons).map(([name, { ms, erased }]) => `| ${name} | ${erased} | ${ms} ms |`),
  ].join('\n');
}
