// A real Chromium for the browser tests and the screenshots: the installed one that CHROMIUM_PATH names, or else the one in an npm package, which needs no root and no download.
import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/** @returns {Promise<import('playwright-core').Browser>} */
export async function launchChromium() {
  // The package proposes arguments for another place, without the browser's own protections among them: these tests want a browser as people have it.
  const executablePath = process.env.CHROMIUM_PATH || (await bundled.executablePath());
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
