// Medians over the rounds, as a table and as JSON.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const METRICS = ['rate', 'p50', 'p99', 'serverCpu', 'mongodCpu', 'memory'];

/** @param rounds measurements by server: `{ bare: [...], service: [...] }` */
export function summarize(rounds) {
  const of = (list) =>
    Object.fromEntries(METRICS.map((metric) => [metric, median(list.map((round) => round[metric]))]));
  const bare = of(rounds.bare);
  const service = of(rounds.service);
  return {
    bare,
    service,
    ratios: Object.fromEntries(METRICS.map((metric) => [metric, service[metric] / bare[metric]])),
  };
}

/** @param results `[{ name, connections, bare, service, ratios }]` */
export function table(results) {
  const head = [
    'case',
    'conn.',
    'bare req/s',
    'service req/s',
    'x bare',
    'p50 ms bare',
    'p50 ms',
    'x',
    'p99 ms bare',
    'p99 ms',
    'x',
    'server us bare',
    'server us',
    'x',
    'mongod us bare',
    'mongod us',
    'x',
    'MB',
  ];
  const rows = results.map(({ name, connections, bare, service, ratios }) => [
    name,
    connections,
    Math.round(bare.rate),
    Math.round(service.rate),
    ratios.rate.toFixed(2),
    ...['p50', 'p99'].flatMap((metric) => [
      bare[metric].toFixed(2),
      service[metric].toFixed(2),
      ratios[metric].toFixed(2),
    ]),
    ...['serverCpu', 'mongodCpu'].flatMap((metric) => [
      Math.round(bare[metric]),
      Math.round(service[metric]),
      ratios[metric].toFixed(2),
    ]),
    Math.round(service.memory),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
