import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set by vitest.faults.config.ts. Other runs repeat less and store less. */
    thorough?: boolean;
  }
}

/** A number of repetitions or records: `thorough` in `npm run test:faults`, `short` elsewhere. */
export function rounds(thorough: number, short: number): number {
  return inject('thorough') ? thorough : short;
}
