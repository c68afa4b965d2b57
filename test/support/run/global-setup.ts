import { rm } from 'node:fs/promises';
import type { TestProject } from 'vitest/node';
import { loadConfig } from '../../../src/platform/core/config.ts';
import { createLogger } from '../../../src/platform/core/logger.ts';
import { startEmbedded } from '../../../src/platform/embedded/embedded.ts';
import { chromiumPath } from '../browser/chromium.mjs';
import { databaseFolder } from './scratch.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URI of the mongod that all test files share. Each file uses its own database. */
    mongodbUri: string;
  }
}

/**
 * Starts one mongod for the whole test run, in the same way as the service starts its own, and
 * unpacks the browser before several processes need it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await chromiumPath();
  const dataDir = await databaseFolder('user-collection-test-');
  const { mongod } = loadConfig(process.env);
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const embedded = await startEmbedded({ dataDir, mongod }, { progress, logger: createLogger({ logLevel: 'silent' }) });
  project.provide('mongodbUri', embedded.uri);
  return async () => {
    await embedded.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
