// A real Chromium for the browser tests and the screenshots: the installed one that CHROMIUM_PATH names, or else the one in an npm package, which needs no root and no download.
import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/** @returns {Promise<import('playwright-core').Browser>} */
export async function launchChromium() {
  // The package proposes arguments for another place, without the browser's own protections among them: these tests want a browser as people have it.
  const executablePath = process.env.CHROMIUM_PATH || (await bundled.executablePath());
  // To the browser a host under .test is one on a network; by the name localhost it trusts plain HTTP more than elsewhere.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--host-resolver-rules=MAP *.test 127.0.0.1'] });
}
