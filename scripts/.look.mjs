// node scripts/.look.mjs out-prefix admin|operator variant... -- path...
import { readFile } from 'node:fs/promises';
const { launchChromium } = await import('../test/support/browser/chromium.mjs');
const look = JSON.parse(await readFile('/tmp/look.json', 'utf8'));
const [who, variants, ...paths] = process.argv.slice(2);
const browser = await launchChromium();
for (const v of variants.split(',')) {
  const phone = v.includes('phone'), dark = v.includes('dark'), de = v.endsWith('-de');
  const context = await browser.newContext({ viewport: phone ? { width: 375, height: 812 } : { width: 1280, height: 800 }, colorScheme: dark ? 'dark' : 'light', locale: de ? 'de-DE' : 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.on('console', (m) => m.type() === 'error' && console.log('console:', m.text().slice(0, 200)));
  if (who !== 'none') await context.request.post(look.url + '/auth/login', { data: look[who], failOnStatusCode: true });
  for (const p of paths) {
    const [path, click] = p.split('@');
    await page.goto(look.url + path);
    await page.waitForTimeout(1200);
    if (click) { for (const sel of click.split('>>')) { await page.locator(sel).first().click({ timeout: 5000 }).catch((e) => console.log('click', e.message.slice(0, 100))); await page.waitForTimeout(500); } }
    const out = `/tmp/shots/${who}-${v}-${path.replace(/\W+/g, '_')}${click ? '-c' : ''}.png`;
    await page.screenshot({ path: out });
    console.log(out);
  }
  await context.close();
}
await browser.close();
