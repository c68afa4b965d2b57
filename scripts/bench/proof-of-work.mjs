// node scripts/bench/proof-of-work.mjs [runs] [slowdown]: how long Chromium takes to solve the
// challenges of the service, with its main thread slowed down. Needs `npm run build`.
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ObjectId } from 'mongodb';
import { build } from 'vite';
import { createChallenges } from '../../dist/features/bots/challenges.js';
import { launchChromium } from '../../test/support/browser/chromium.mjs';

const runs = Number(process.argv[2] ?? 30);
const slowdown = Number(process.argv[3] ?? 6);
const POLICY = "default-src 'none'; script-src 'self'";

const entry = fileURLToPath(new URL('../../web/embed/proof-of-work.ts', import.meta.url));
const options = { write: false, lib: { entry, formats: ['es'] }, minify: false };
const [{ output }] = await build({ configFile: false, logLevel: 'error', build: options });
const files = {
  '/': ['text/html', '<!doctype html><title>Proof of work</title>'],
  '/solver.js': ['text/javascript', output[0].code],
};
const server = createServer(({ url }, res) => {
  const [type, content] = files[url] ?? ['text/plain', ''];
  res.setHeader('Content-Security-Policy', POLICY);
  res.setHeader('Content-Type', type);
  res.end(content);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const challenges = createChallenges('the secret of the benchmark');
const app = new ObjectId();
const browser = await launchChromium();
const page = await browser.newPage();
await page.goto(`http://localhost:${server.address().port}/`);
const session = await page.context().newCDPSession(page);

for (const rate of [1, slowdown]) {
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  const times = [];
  let longestGap = 0;
  for (let run = 0; run < runs; run += 1) {
    const challenge = await challenges.issue(app);
    const { ms, text, gap } = await page.evaluate(async (given) => {
      const { solve } = await import('/solver.js');
      let [last, gap] = [performance.now(), 0];
      const timer = setInterval(() => {
        gap = Math.max(gap, performance.now() - last);
        last = performance.now();
      }, 5);
      const begun = performance.now();
      const text = await solve(given);
      const ms = performance.now() - begun;
      clearInterval(timer);
      return { ms, text, gap };
    }, challenge);
    await challenges.verify(app, text);
    times.push(ms);
    longestGap = Math.max(longestGap, gap);
  }
  times.sort((one, other) => one - other);
  const at = (share) => Math.round(times[Math.ceil(times.length * share) - 1]);
  const longest = Math.round(longestGap);
  process.stdout.write(
    `slowed ${rate} times: ${runs} runs, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest pause of the page ${longest} ms\n`,
  );
}
await browser.close();
server.close();
