import { createRequire } from 'node:module';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';

/** Loads the package when something is measured: it has 83 modules. */
const loadPromClient = () => createRequire(import.meta.url)('prom-client') as typeof import('prom-client');

/** No label may have a value for each app or person. */
export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  labels?: Labels;
  value: number;
}

type Samples = number | readonly Sample[];

interface MetricOptions {
  /** What it counts or measures, with its unit. */
  help: string;
  labels?: readonly string[];
}

interface GaugeOptions extends MetricOptions {
  across?: 'sum' | 'max' | 'min' | 'average';
}

/** The metrics of features (spec 4.10), with names as in Prometheus: units, and `_total`. */
export interface Metrics {
  readonly isOn: boolean;
  /** Returns a function that counts one event. */
  counter(name: string, options: MetricOptions): (labels?: Labels) => void;
  /** Returns a function that observes a value. */
  histogram(name: string, options: MetricOptions & { buckets: number[] }): (value: number, labels?: Labels) => void;
  /**
   * Declares values that are read when the metrics are requested.
   * @param options.across how the values of the processes of a server become one
   */
  gauge(name: string, options: GaugeOptions, read: () => Samples | Promise<Samples>): void;
  /** As `gauge`, for values that only grow, and begin at 0 with the process. */
  total(name: string, options: MetricOptions, read: () => Samples): void;
}

const nothing = (): void => undefined;

/** Measures nothing: without METRICS_TOKEN. */
export const NO_METRICS: Metrics = {
  isOn: false,
  counter: () => nothing,
  histogram: () => nothing,
  gauge: nothing,
  total: nothing,
};

export type MetricsRegistry = ReturnType<typeof createMetrics>;

export type MetricsSnapshot = MetricObjectWithValues<MetricValue<string>>[];

/** Resolves with the metrics of several processes as those of one. */
export const mergeSnapshots = (snapshots: readonly MetricsSnapshot[]): Promise<MetricsSnapshot> =>
  loadPromClient()
    .AggregatorRegistry.aggregate([...snapshots])
    .getMetricsAsJSON();

/** Resolves with a snapshot in the text format of Prometheus. */
export const toText = (snapshot: MetricsSnapshot): Promise<string> =>
  loadPromClient().AggregatorRegistry.aggregate([snapshot]).metrics();

/** The metrics of a snapshot that only grow. */
export const totalsOf = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => String(type) !== 'gauge');

/** Creates the metrics of one service. Two services in one process share nothing. */
export function createMetrics() {
  const { Counter, Gauge, Histogram, Registry } = loadPromClient();
  const registry = new Registry();
  const common = (name: string, { help, labels = [] }: MetricOptions) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const listed = (found: Samples): readonly Sample[] => (typeof found === 'number' ? [{ value: found }] : found);

  const metrics: Metrics = {
    isOn: true,

    counter(name, options) {
      const counter = new Counter(common(name, options));
      // A counter without labels shows 0 before its first event.
      return (labels) => (labels ? counter.inc(labels) : counter.inc());
    },

    histogram(name, options) {
      const histogram = new Histogram({ ...common(name, options), buckets: options.buckets });
      return (value, labels) => (labels ? histogram.observe(labels, value) : histogram.observe(value));
    },

    gauge(name, options, read) {
      new Gauge({
        ...common(name, options),
        aggregator: options.across ?? 'sum',
        async collect() {
          const samples = listed(await read());
          this.reset();
          for (const { labels = {}, value } of samples) this.set(labels, value);
        },
      });
    },

    total(name, options, read) {
      new Counter({
        ...common(name, options),
        collect() {
          this.reset();
          for (const { labels = {}, value } of listed(read())) this.inc(labels, value);
        },
      });
    },
  };
  return {
    ...metrics,
    contentType: registry.contentType,
    /** Resolves with all metrics in the text format of Prometheus. */
    text: (): Promise<string> => registry.metrics(),
    /** Resolves with all metrics as JSON, for another process of the server. */
    snapshot: (): Promise<MetricsSnapshot> => registry.getMetricsAsJSON(),
  };
}

const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const QUANTILES = [0.5, 0.9, 0.99];

/** Measures the process until the returned function is called. */
export function measureProcess(metrics: Metrics): () => void {
  if (!metrics.isOn) return () => undefined;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  metrics.gauge(
    'nodejs_eventloop_delay_seconds',
    {
      help: 'The delay of the event loop since the last time this was read, by quantile',
      labels: ['quantile'],
      across: 'max',
    },
    () => {
      const ofQuantile = (quantile: number) => ({
        labels: { quantile: String(quantile) },
        value: delay.percentile(quantile * 100) / NANOSECONDS,
      });
      const samples = [...QUANTILES.map(ofQuantile), { labels: { quantile: '1' }, value: delay.max / NANOSECONDS }];
      delay.reset();
      return samples;
    },
  );
  metrics.gauge('nodejs_heap_size_used_bytes', { help: 'The used part of the heap' }, () => heap().heapUsed);
  metrics.gauge('nodejs_heap_size_total_bytes', { help: 'The size of the heap' }, () => heap().heapTotal);
  metrics.gauge('nodejs_external_memory_bytes', { help: 'Memory of buffers outside the heap' }, () => heap().external);
  metrics.gauge('process_resident_memory_bytes', { help: 'The memory of the process' }, () =>
    process.memoryUsage.rss(),
  );
  metrics.total('process_cpu_seconds_total', { help: 'The processor time of the process' }, () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROSECONDS;
  });
  metrics.gauge(
    'process_start_time_seconds',
    { help: 'When the process started, since 1970', across: 'min' },
    () => (Date.now() - process.uptime() * 1_000) / 1_000,
  );
  return () => void delay.disable();
}

const heap = () => process.memoryUsage();
