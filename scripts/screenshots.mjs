// npm run screenshots: screenshots of the main pages in docs/images. Starts a service with sample
// data on a separate database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, install, root, say } from './setup.mjs';

install();
build();
const { launchChromium } = await import('../test/support/browser/chromium.mjs');
const { takeScreenshots } = await import('./screenshots/pages.mjs');
const { startFilledService } = await import('./screenshots/service.mjs');

const dataDir = await mkdtemp(join(tmpdir(), 'user-collection-screenshots-'));
const service = await startFilledService(dataDir, say);
const browser = await launchChromium();
try {
  await takeScreenshots(browser, service, join(root, 'docs', 'images'), say);
} finally {
  await browser.close();
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
}
