// Starts Chromium for the browser tests and the screenshots: the one at CHROMIUM_PATH, or the one
// in an npm package, which needs neither root nor a download.
import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/** @returns {Promise<string>} */
export async function chromiumPath() {
  return process.env.CHROMIUM_PATH || bundled.executablePath();
}

/** @returns {Promise<import('playwright-core').Browser>} */
export async function launchChromium() {
  // Does not use the arguments that the package proposes: they disable the browser's protections.
  const executablePath = await chromiumPath();
  // Chromium treats http://localhost as a secure context. Hosts under .test resolve to this machine
  // and are treated as ordinary hosts.
  const hosts = '--host-resolver-rules=MAP *.test 127.0.0.1';
  // Without a GPU its emulation took a quarter of the processor time.
  const noGpu = ['--disable-gpu-rasterization', '--disable-gpu-compositing'];
  // Chromium draws each tile separately. Two instead of twenty take a tenth less time.
  const fewTiles = ['--default-tile-width=2048', '--default-tile-height=1024'];
  // A page of a test ends before optimized code has saved the time that compiling it took.
  const noOptimizer = '--js-flags=--no-opt --no-maglev';
  return chromium.launch({ executablePath, args: ['--no-sandbox', hosts, ...noGpu, ...fewTiles, noOptimizer] });
}
