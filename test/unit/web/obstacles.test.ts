import { describe, expect, it } from 'vitest';
import { loadTexts, t } from '../../../web/src/texts/texts.ts';

await loadTexts();
const { obstaclesOf } = await import('../../../web/src/connect/snippets/obstacles.ts');

const HTML = { id: 'html', runsInPages: true, provesWork: false };
const LINK = { id: 'link', runsInPages: false, provesWork: true };
const CURL = { id: 'curl', runsInPages: false, provesWork: false };
const ALLOWED = { origins: ['https://www.example.com'], nullOrigin: false, botProtection: 'honeypot' as const };
const PUBLIC = 'https://forms.example.com';

describe('code that is copied from the dashboard on the computer of the service', () => {
  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])('works only there: %s', (origin) => {
    const { snippets } = t.connect;
    expect(obstaclesOf(HTML, ALLOWED, origin)).toEqual([snippets.onlyHere(origin)]);
    expect(obstaclesOf(LINK, ALLOWED, origin)).toEqual([snippets.onlyHere(origin)]);
    expect(obstaclesOf(HTML, { ...ALLOWED, origins: [] }, origin)).toEqual([
      snippets.noWebsite,
      snippets.onlyHere(origin),
    ]);
    expect(obstaclesOf(CURL, ALLOWED, origin)).toEqual([]);
  });

  it('works everywhere from its public address', () => {
    for (const snippet of [HTML, LINK, CURL]) expect(obstaclesOf(snippet, ALLOWED, PUBLIC)).toEqual([]);
    expect(obstaclesOf(HTML, { ...ALLOWED, origins: [] }, PUBLIC)).toEqual([t.connect.snippets.noWebsite]);
  });
});
