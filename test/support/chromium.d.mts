import type { Browser } from 'playwright-core';

/** Starts the Chromium that `CHROMIUM_PATH` names, or else the one from npm. */
export declare function launchChromium(): Promise<Browser>;
