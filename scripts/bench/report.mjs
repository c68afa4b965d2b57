// Medians over the rounds, as JSON and as a table.

export function median(values) {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}

/** The median, percentiles and the longest of times in milliseconds. */
export function percentiles(times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return { median: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

/** Two digits after the point. */
export const round = (value) => Math.round(value * 100) / 100;

/** A table of Markdown. */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

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
  return table(head, rows);
}

/** @param results `[{ name, connections, baseline, service, ratios }]` */
export function tableOfCases(results) {
  const head = ['case', 'conn.', 'baseline req/s', 'service req/s', 'x baseline'];
  for (const name of ['p50 ms', 'p99 ms', 'server us', 'mongod us']) head.push(`${name} baseline`, name, 'x');
  head.push('MB');
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
  return table(head, rows);
}
