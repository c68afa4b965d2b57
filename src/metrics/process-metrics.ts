import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

const RESOLUTION_MS = 10;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const QUANTILES = [0.5, 0.9, 0.99];

/** Measures the process. Returns a function that ends it. */
export function measureProcess(metrics: Metrics): () => void {
  if (!metrics.isOn) return () => undefined;
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  metrics.gauge(
    'nodejs_eventloop_delay_seconds',
    { help: 'The delay of the event loop since the last time this was read, by quantile', labels: ['quantile'] },
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
    { help: 'When the process started, since 1970' },
    () => (Date.now() - process.uptime() * 1_000) / 1_000,
  );
  return () => void delay.disable();
}

const heap = () => process.memoryUsage();
