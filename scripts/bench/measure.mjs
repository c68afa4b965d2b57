// One measurement: load on one server for some seconds, and its cost.
import autocannon from 'autocannon';
import { cpuMicroseconds, memoryMegabytes } from './processes.mjs';

let run = 0;

/**
 * @returns requests/s, latencies in milliseconds, CPU time per request of server and mongod in
 *   microseconds, memory of the server in MB
 */
export async function measure({ server, mongodPid, request, cookie, connections, seconds }) {
  run += 1;
  const before = [cpuMicroseconds(server.pid), cpuMicroseconds(mongodPid)];
  const latencies = [];
  let refused = 0;
  const startedAt = performance.now();
  const load = autocannon({
    url: server.url,
    connections,
    duration: seconds,
    requests: [{ setupRequest: (base) => Object.assign(base, request({ cookie, run })) }],
  });
  // autocannon reports whole milliseconds, which is too coarse for one connection.
  load.on('response', (_client, status, _bytes, milliseconds) => {
    latencies.push(milliseconds);
    if (status !== 200) refused += 1;
  });
  const { errors } = await load;
  const elapsed = (performance.now() - startedAt) / 1000;
  const after = [cpuMicroseconds(server.pid), cpuMicroseconds(mongodPid)];
  const count = latencies.length;
  if (refused > 0 || errors > 0 || count === 0)
    throw new Error(`${server.url}: of ${count} answers ${refused} were refusals; ${errors} errors`);
  latencies.sort((a, b) => a - b);
  return {
    rate: count / elapsed,
    p50: latencies[Math.floor(count * 0.5)],
    p99: latencies[Math.floor(count * 0.99)],
    serverCpu: (after[0] - before[0]) / count,
    mongodCpu: (after[1] - before[1]) / count,
    memory: memoryMegabytes(server.pid),
  };
}
