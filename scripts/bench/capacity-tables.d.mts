import type { Costs } from './capacity-model.d.mts';

interface Check {
  workers: number;
  members: number;
  rate: number;
  predicted: Readonly<Record<string, number>>;
  measured: Readonly<Record<string, number>>;
}

/** The content of docs/capacity.json. */
export interface Measured {
  costs: Costs;
  checks: readonly Check[];
  poolSize: number;
}

export declare function capacityTables(measured: Measured): Readonly<Record<string, string>>;
