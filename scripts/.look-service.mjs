import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
const { startFilledService } = await import('./screenshots/service.mjs');
const dir = await mkdtemp(join(tmpdir(), 'look-'));
const s = await startFilledService(dir, () => {});
await writeFile('/tmp/look.json', JSON.stringify({ url: s.url, operator: s.operator, admin: s.admin, pid: process.pid }));
console.log('ready', s.url);
process.on('SIGTERM', async () => { await s.stop(); process.exit(0); });
