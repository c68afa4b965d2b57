// Medians over the rounds, as JSON and as a table.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const METRICS = ['rate', 'p50', 'p99', 'serverCpu', 'mongodCpu', 'memory'];

/**
 * @param rounds measurements by server: `{ baseline: [...], service: [...], beside: [...] }`, the
 *   last only where another version is measured
 */
export function summarize(rounds) {
  const medians = (list) =>
    Object.fromEntries(METRICS.map((metric) => [metric, median(list.map((round) => round[metric]))]));
  const ratios = (one, other) => Object.fromEntries(METRICS.map((metric) => [metric, one[metric] / other[metric]]));
  const baseline = medians(rounds.baseline);
  const service = medians(rounds.service);
  const beside = rounds.beside && medians(rounds.beside);
  return {
    baseline,
    service,
    ratios: ratios(service, baseline),
    ...(beside && { beside, ratiosBeside: ratios(service, beside) }),
  };
}

/** The same medians of this version and another, and the ratio of the two. */
export function tableBeside(results) {
  const head = ['case', 'conn.', ...METRICS.flatMap((metric) => [`${metric} beside`, metric, 'x'])];
  const rows = results.map(({ name, connections, service, beside, ratiosBeside }) => [
    name,
    connections,
    ...METRICS.flatMap((metric) => [
      beside[metric].toFixed(2),
      service[metric].toFixed(2),
      ratiosBeside[metric].toFixed(2),
    ]),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
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
