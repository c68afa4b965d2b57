import type { Browser } from 'playwright-core';

/** Starts the Chromium at `CHROMIUM_PATH`, or the one from npm if the variable is not set. */
export declare function launchChromium(): Promise<Browser>;
