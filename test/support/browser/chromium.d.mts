import type { Browser } from 'playwright-core';

/** Starts the Chromium at `CHROMIUM_PATH`, or the one from npm if the variable is not set. */
export declare function launchChromium(): Promise<Browser>;

/**
 * Resolves with the path of Chromium. The first call on a machine unpacks it; until then no other
 * process may start it.
 */
export declare function chromiumPath(): Promise<string>;
