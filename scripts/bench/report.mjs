// Medians over the rounds, as JSON and as a table.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const METRICS = ['rate', 'p50', 'p99', 'serverCpu', 'mongodCpu', 'memory'];

/** @param rounds measurements by server: `{ baseline: [...], service: [...] }` */
export function summarize(rounds) {
  const of = (list) =>
    Object.fromEntries(METRICS.map((metric) => [metric, median(list.map((round) => round[metric]))]));
  const baseline = of(rounds.baseline);
  const service = of(rounds.service);
  return {
    baseline,
    service,
    ratios: Object.fromEntries(METRICS.map((metric) => [metric, service[metric] / baseline[metric]])),
  };
}

/** @param results `[{ name, connections, baseline, service, ratios }]` */
export function table(results) {
  const head = [
    'case',
    'conn.',
    'baseline req/s',
    'service req/s',
    'x baseline',
    'p50 ms baseline',
    'p50 ms',
    'x',
    'p99 ms baseline',
    'p99 ms',
    'x',
    'server us baseline',
    'server us',
    'x',
    'mongod us baseline',
    'mongod us',
    'x',
    'MB',
  ];
  const rows = results.map(({ name, connections, baseline, service, ratios }) => [
    name,
    connections,
    Math.round(baseline.rate),
    Math.round(service.rate),
    ratios.rate.toFixed(2),
    ...['p50', 'p99'].flatMap((metric) => [
      baseline[metric].toFixed(2),
      service[metric].toFixed(2),
      ratios[metric].toFixed(2),
    ]),
    ...['serverCpu', 'mongodCpu'].flatMap((metric) => [
      Math.round(baseline[metric]),
      Math.round(service[metric]),
      ratios[metric].toFixed(2),
    ]),
    Math.round(service.memory),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
