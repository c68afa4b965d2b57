type Cost = Readonly<Record<string, number>>;

export interface Costs {
  new: Cost;
  update: Cost;
  listing: Cost;
  event: Cost;
  recordBytes: number;
  indexBytes: number;
  emailIndexBytes: number;
}

export declare const MIX: Readonly<Record<string, number>>;
export declare const LOADS: readonly { perDay: number; stored: number }[];

export declare function plan(
  costs: Costs,
  load: { perDay: number; stored: number; poolSize: number },
): {
  peak: number;
  serverCores: number;
  processes: number;
  servers: number;
  primaryCores: number;
  recordsGb: number;
  indexGb: number;
  emailIndexGb: number;
  oplogGb: number;
  shards: number;
  members: number;
  connections: number;
};

export declare function simulateQueue(options: {
  processes: number;
  load: number;
  services: readonly { share: number; time: number }[];
  requests: number;
  isShared?: boolean;
  seed?: number;
}): { mean: number; median: number; p99: number };

/** In gigabytes. */
export declare function planFiles(stored: { files: number; bytes: number }): {
  databaseGb: number;
  besideBucketGb: number;
  bucketGb: number;
  oplogGb: number;
};
