import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * The values of the labels of a metric. No label may have a value that grows with apps or persons.
 */
export type Labels = Readonly<Record<string, string>>;

/** A value with its labels. */
export interface Sample {
  labels?: Labels;
  value: number;
}

interface MetricOptions {
  /** What it counts or measures, with its unit. */
  help: string;
  labels?: readonly string[];
}

/**
 * What features measure with. Each feature declares its metrics once, when it is created (spec
 * 4.10). Names follow the conventions of Prometheus: a unit at the end, `_total` for counters.
 */
export interface Metrics {
  /** Whether anything is measured. */
  readonly isOn: boolean;
  /** Returns a function that counts one event. */
  counter(name: string, options: MetricOptions): (labels?: Labels) => void;
  /** Returns a function that observes a value. */
  histogram(name: string, options: MetricOptions & { buckets: number[] }): (value: number, labels?: Labels) => void;
  /** Declares values that are read when somebody asks for them. */
  gauge(name: string, options: MetricOptions, read: () => number | readonly Sample[]): void;
  /** The same for values that only grow, and begin at 0 with the process. */
  total(name: string, options: MetricOptions, read: () => number | readonly Sample[]): void;
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

/** Metrics that can be read. */
export interface MetricsRegistry extends Metrics {
  /** The media type of the text. */
  contentType: string;
  /** Resolves with all metrics in the text format of Prometheus. */
  text(): Promise<string>;
}

/** Creates the metrics of one service. Two services in one process share nothing. */
export function createMetrics(): MetricsRegistry {
  const registry = new Registry();
  const common = (name: string, { help, labels = [] }: MetricOptions) => ({
    ...{ name, help, labelNames: [...labels], registers: [registry] },
  });
  const samplesOf = (read: () => number | readonly Sample[]): readonly Sample[] => {
    const found = read();
    return typeof found === 'number' ? [{ value: found }] : found;
  };

  return {
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
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.set(labels, value);
        },
      });
    },

    total(name, options, read) {
      new Counter({
        ...common(name, options),
        collect() {
          this.reset();
          for (const { labels = {}, value } of samplesOf(read)) this.inc(labels, value);
        },
      });
    },

    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
