// The attacker of npm run bench -- --logins, in a process of its own: clients that send wrong
// passwords, each one after the other on a connection that stays open.
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** After a connection that failed, so that the attacker does not measure itself. */
const PAUSE_MS = 50;
const statuses = {};
let isOver = false;
let sent = 0;

process.once('disconnect', () => process.exit());
process.on('message', (message) => {
  if (message !== 'stop') return void flood(message);
  isOver = true;
  process.send(statuses, () => process.exit());
});

/** @param addresses the number of addresses that the flood reports; 0 for that of this machine */
async function flood({ url, clients, addresses, sourceAppId }) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const attack = async () => {
    while (!isOver) {
      sent += 1;
      const status = await logIn(url, agent, sourceAppId, addresses && `198.51.100.${sent % addresses}`);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status === 'failed') await sleep(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: clients }, attack));
}

function logIn(url, agent, sourceAppId, address) {
  const headers = { 'content-type': 'application/json', ...(address && { 'x-forwarded-for': address }) };
  return new Promise((resolve) => {
    const login = request(`${url}/auth/login`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    login.once('error', () => resolve('failed'));
    login.end(JSON.stringify({ sourceAppId, password: `wrong-${sent}` }));
  });
}
